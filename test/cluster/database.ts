// What the database of a run notes by itself: triggers write down each claim and each write, with the replica that did it.
// The numbers of the lines are in the order in which things took effect: a write holds its shard's row until it is
// committed, and a claim of that shard waits for it.
import { z } from 'zod';
import { execute } from '../support/store/postgres-server.ts';

export interface Claimed {
  readonly number: number;
  readonly type: 'claim';
  readonly shard: string;
  readonly epoch: number;
  readonly address: string;
}

/** A write that only the holder of the shard may do. */
export interface Fenced {
  readonly number: number;
  readonly type: 'cover' | 'send' | 'chain';
  readonly shard: string;
  readonly subject: string;
  readonly address: string;
}

/** One of a memory, with its version. */
export interface Written {
  readonly number: number;
  readonly type: 'insert' | 'update' | 'delete';
  readonly shard: string;
  /** The watch. */
  readonly subject: string;
  readonly before: number;
  readonly after: number;
  readonly address: string;
}

/** A delivery was begun while an earlier one of the same alert and recipient was still being sent. */
export interface Overtaken {
  readonly number: number;
  readonly type: 'overtake';
  readonly subject: string;
  readonly address: string;
}

export type Line = Claimed | Fenced | Written | Overtaken;

// Ids of watches begin with the rule and the explorer: `head-1/plan-1/…`. What is told of the daemon itself is dispatched.
const LOG = `
CREATE SCHEMA nemesis;
CREATE TABLE nemesis.log (
  number bigint GENERATED ALWAYS AS IDENTITY, type text, shard text, epoch bigint, subject text, before bigint, after bigint,
  address text DEFAULT host(inet_client_addr())
);
CREATE FUNCTION nemesis.shard_of(watch text) RETURNS text LANGUAGE sql AS $$
  SELECT CASE split_part(watch, '/', 1) WHEN 'chainwarden' THEN 'service:dispatch'
    ELSE 'explorer:' || split_part(watch, '/', 2) END
$$;

CREATE FUNCTION nemesis.claimed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.owner IS NOT NULL AND NEW.epoch <> OLD.epoch THEN
    INSERT INTO nemesis.log (type, shard, epoch) VALUES ('claim', NEW.key, NEW.epoch);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER UPDATE ON shards FOR EACH ROW EXECUTE FUNCTION nemesis.claimed();

CREATE FUNCTION nemesis.written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE mine text := CASE TG_OP WHEN 'DELETE' THEN OLD.watch ELSE NEW.watch END;
BEGIN
  INSERT INTO nemesis.log (type, shard, subject, before, after) VALUES (
    lower(TG_OP), nemesis.shard_of(mine), mine,
    CASE TG_OP WHEN 'INSERT' THEN 0 ELSE OLD.version END, CASE TG_OP WHEN 'DELETE' THEN 0 ELSE NEW.version END);
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER INSERT OR UPDATE OR DELETE ON memory FOR EACH ROW EXECUTE FUNCTION nemesis.written();

CREATE FUNCTION nemesis.covered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.log (type, shard, subject) VALUES ('cover', nemesis.shard_of(NEW.watch), NEW.watch);
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER INSERT OR UPDATE ON coverage FOR EACH ROW EXECUTE FUNCTION nemesis.covered();

CREATE FUNCTION nemesis.begun() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.log (type, shard, subject) VALUES ('send', 'channel:' || NEW.channel, NEW.id);
  INSERT INTO nemesis.log (type, subject)
    SELECT 'overtake', NEW.id FROM delivery_order JOIN deliveries AS before ON before.number = earlier
    WHERE delivery = NEW.number AND before.state = 'sending' LIMIT 1;
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER UPDATE ON deliveries FOR EACH ROW
  WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION nemesis.begun();

CREATE FUNCTION nemesis.chained() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.log (type, shard, subject)
    SELECT 'chain', 'service:journal', max(number)::text FROM lines HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER UPDATE ON journal REFERENCING NEW TABLE AS lines
  FOR EACH STATEMENT EXECUTE FUNCTION nemesis.chained();
`;

/** Before a replica has claimed anything. */
export async function keepLog(url: string): Promise<void> {
  await execute(url, LOG);
}

export async function readLog(url: string): Promise<readonly Line[]> {
  const rows = await execute(url, 'SELECT * FROM nemesis.log ORDER BY number');
  return rows.map((row) => LogLine.parse(row));
}

/** The address of the replica that claimed it last. */
export async function holderOf(url: string, shard: string): Promise<string> {
  const [row] = await execute(
    url,
    `SELECT address FROM nemesis.log WHERE type = 'claim' AND shard = '${shard}' ORDER BY number DESC LIMIT 1`,
  );
  return String(row?.['address']);
}

const Common = z.object({ number: z.coerce.number(), address: z.string() });
const OfShard = Common.extend({ shard: z.string() });
const LogLine = z.discriminatedUnion('type', [
  OfShard.extend({ type: z.literal('claim'), epoch: z.coerce.number() }),
  OfShard.extend({ type: z.enum(['cover', 'send', 'chain']), subject: z.string() }),
  OfShard.extend({
    type: z.enum(['insert', 'update', 'delete']),
    subject: z.string(),
    before: z.coerce.number(),
    after: z.coerce.number(),
  }),
  Common.extend({ type: z.literal('overtake'), subject: z.string() }),
]);
