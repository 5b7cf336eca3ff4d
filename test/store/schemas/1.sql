-- A state file of schema 1, as its release wrote it. Never edited.
CREATE TABLE memory (
  watch TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  state TEXT NOT NULL,
  alerts TEXT NOT NULL
) STRICT;

CREATE TABLE coverage (
  watch TEXT PRIMARY KEY REFERENCES memory (watch) ON DELETE CASCADE,
  until INTEGER
) STRICT, WITHOUT ROWID;

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

CREATE INDEX deliveries_in_order ON deliveries (channel, recipient, key, seq, number, state)
  WHERE state IN ('due', 'sending');
CREATE INDEX deliveries_due ON deliveries (channel, due_at, number) WHERE state = 'due';
CREATE INDEX deliveries_ended ON deliveries (state, settled_at) WHERE state IN ('sent', 'dead');

CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO memory (watch, version, checksum, state, alerts) VALUES
  ('treasury-low',
   7,
   'c1',
   '{"balance":"1000000.5","pairs":[[1,"0xab"]],"none":null}',
   '{"low":{"":{"type":"condition","born":0,"state":"firing","output":true,"since":null,"heldMs":120000,"episode":1,"seq":1,"firing":{"type":"alert.firing","at":1767268800000,"key":"key-low","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"balance of "},{"untrusted":"''; DROP TABLE deliveries; --\u0000‮😀"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{"balance":{"text":"115792089237316195423570985008687907853269984665640564039457584007913129639935"},"holders":3,"scam":false,"token":{"record":{"name":{"untrusted":"Tether"}}},"tags":{"list":[{"text":"a"},1,true]}},"before":{},"links":["https://explorer.example/token/0xbb"]},"told":[{"channel":"ops","recipient":"ops"}]}},"seen":{"tx1":{"type":"open","since":1767268800000,"before":null}}}');
INSERT INTO coverage (watch, until) VALUES ('treasury-low', 1767268800000);

INSERT INTO deliveries
  (id, watch, channel, recipient, key, seq, message, state, attempt, due_at, created_at, settled_at, outcome) VALUES
  ('d1', 'treasury-low', 'ops', 'ops', 'key-d1', 1, '{"type":"alert.firing","at":1767268800000,"key":"key-d1","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"balance of "},{"untrusted":"''; DROP TABLE deliveries; --\u0000‮😀"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{"balance":{"text":"115792089237316195423570985008687907853269984665640564039457584007913129639935"},"holders":3,"scam":false,"token":{"record":{"name":{"untrusted":"Tether"}}},"tags":{"list":[{"text":"a"},1,true]}},"before":{},"links":["https://explorer.example/token/0xbb"]}', 'sent', 1, 1767268800000, 1767268800000, 1767268800000, '{"type":"sent","text":"202 Accepted"}');
INSERT INTO deliveries
  (id, watch, channel, recipient, key, seq, message, state, attempt, due_at, created_at, settled_at, outcome) VALUES
  ('d2', 'treasury-low', 'ops', 'ops', 'key-d2', 1, '{"type":"alert.firing","at":1767268800000,"key":"key-d2","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"balance of "},{"untrusted":"''; DROP TABLE deliveries; --\u0000‮😀"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{"balance":{"text":"115792089237316195423570985008687907853269984665640564039457584007913129639935"},"holders":3,"scam":false,"token":{"record":{"name":{"untrusted":"Tether"}}},"tags":{"list":[{"text":"a"},1,true]}},"before":{},"links":["https://explorer.example/token/0xbb"]}', 'dead', 9, 1767268800000, 1767268800000, 1767268800000, '{"type":"rejected","text":"550 5.1.1 no such user"}');
INSERT INTO deliveries
  (id, watch, channel, recipient, key, seq, message, state, attempt, due_at, created_at, settled_at, outcome) VALUES
  ('d3', 'treasury-low', 'ops', 'ops', 'key-d3', 1, '{"type":"alert.firing","at":1767268800000,"key":"key-d3","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"balance of "},{"untrusted":"''; DROP TABLE deliveries; --\u0000‮😀"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{"balance":{"text":"115792089237316195423570985008687907853269984665640564039457584007913129639935"},"holders":3,"scam":false,"token":{"record":{"name":{"untrusted":"Tether"}}},"tags":{"list":[{"text":"a"},1,true]}},"before":{},"links":["https://explorer.example/token/0xbb"]}', 'sending', 2, 1767268800000, 1767268800000, NULL, '{"type":"again","text":"503 Service Unavailable"}');
INSERT INTO deliveries
  (id, watch, channel, recipient, key, seq, message, state, attempt, due_at, created_at, settled_at, outcome) VALUES
  ('d4', 'treasury-low', 'ops', 'ops', 'key-d4', 1, '{"type":"alert.firing","at":1767268800000,"key":"key-d4","episode":1,"seq":1,"watch":"treasury-low[treasury]","alert":"low","kind":"balance","severity":"critical","explorer":"ethereum","chainId":"1","of":{"name":"treasury","address":"0x00000000000000000000000000000000000000aa"},"token":{"address":"0x00000000000000000000000000000000000000bb","symbol":"US\"DC","decimals":6},"title":"treasury is low","text":[{"text":"balance of "},{"untrusted":"''; DROP TABLE deliveries; --\u0000‮😀"}],"condition":"balance < 1000000","rule":"rules/treasury.yaml:17","observedAt":1767268800000,"since":1767268800000,"resolvedAt":null,"reason":null,"late":false,"fields":{"balance":{"text":"115792089237316195423570985008687907853269984665640564039457584007913129639935"},"holders":3,"scam":false,"token":{"record":{"name":{"untrusted":"Tether"}}},"tags":{"list":[{"text":"a"},1,true]}},"before":{},"links":["https://explorer.example/token/0xbb"]}', 'due', 0, 1767268800000, 1767268800000, NULL, NULL);

INSERT INTO facts (name, value) VALUES ('owner', 'pid 4711');

PRAGMA application_id = 1129800814;
PRAGMA user_version = 1;
