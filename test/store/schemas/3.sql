-- The deliveries of a state file of schema 3, as its release wrote them; one message was damaged since. Never edited.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE memory (
    watch TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    state TEXT NOT NULL,
    alerts TEXT NOT NULL
  , history TEXT NOT NULL DEFAULT '{}', data TEXT NOT NULL DEFAULT 'null') STRICT;
CREATE TABLE coverage (
    watch TEXT PRIMARY KEY REFERENCES memory (watch) ON DELETE CASCADE,
    until INTEGER
  , look TEXT NOT NULL DEFAULT 'null', health TEXT NOT NULL DEFAULT '{}') STRICT, WITHOUT ROWID;
CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    watch TEXT NOT NULL,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    message TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('due', 'sending', 'sent', 'dead')),
    attempt INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    outcome TEXT
  ) STRICT;
INSERT INTO deliveries VALUES(1,'sent','w','ops','ops','sent',1,'{"type":"alert.firing","at":1767268800000,"key":"sent","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"info","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"x"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{},"before":{},"links":["https://explorer.example/token/0xbb"]}','sent',1,1766836800000,1766836800000,1766836800000,'{"type":"sent","text":"204"}');
INSERT INTO deliveries VALUES(2,'damaged','w','ops','ops','damaged',1,'{','due',1,1766923205000,1766836800000,NULL,'{"type":"again","text":"503"}');
INSERT INTO deliveries VALUES(3,'info','x','ops','ops','info',1,'{"type":"alert.firing","at":1767268800000,"key":"info","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"info","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"x"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{},"before":{},"links":["https://explorer.example/token/0xbb"]}','due',1,1766923205000,1766923200000,NULL,'{"type":"again","text":"503"}');
INSERT INTO deliveries VALUES(4,'warning','x','ops','ops','warning',1,'{"type":"alert.firing","at":1767268800000,"key":"warning","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"warning","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"x"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{},"before":{},"links":["https://explorer.example/token/0xbb"]}','due',40,1766923205000,1766923200000,NULL,'{"type":"again","text":"503"}');
INSERT INTO deliveries VALUES(5,'critical','x','ops','ops','k',1,'{"type":"alert.firing","at":1767268800000,"key":"k","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"x"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{},"before":{},"links":["https://explorer.example/token/0xbb"]}','sending',1,1766923200000,1766923200000,NULL,NULL);
INSERT INTO deliveries VALUES(6,'after','x','ops','ops','k',2,'{"type":"alert.firing","at":1767268800000,"key":"k","episode":1,"seq":2,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"x"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{},"before":{},"links":["https://explorer.example/token/0xbb"]}','due',0,1766923200000,1766923200000,NULL,NULL);
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO facts VALUES('owner','pid 4711');
CREATE INDEX deliveries_in_order ON deliveries (channel, recipient, key, seq, number, state)
    WHERE state IN ('due', 'sending');
CREATE INDEX deliveries_due ON deliveries (channel, due_at, number) WHERE state = 'due';
CREATE INDEX deliveries_ended ON deliveries (state, settled_at) WHERE state IN ('sent', 'dead');
COMMIT;
PRAGMA application_id = 1129800814;
PRAGMA user_version = 3;
