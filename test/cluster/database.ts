// What the database of a run notes by itself: triggers write down each claim and each write, with the replica that did it.
// The numbers of the lines are in the order in which things took effect: a write holds its shard's row until it is
// committed, and a claim of that shard waits for it.
import { execute } from '../support/store/postgres-server.ts';

export interface Claimed {
  readonly number: number;
  readonly type: 'claim';
  readonly shard: string;
  readonly epoch: number;
  readonly address: string;
}

export interface Written {
  readonly number: number;
  readonly type: 'insert' | 'update' | 'delete';
  readonly watch: string;
  readonly before: number;
  readonly after: number;
  readonly address: string;
}

export type Line = Claimed | Written;

const LOG = `
CREATE SCHEMA nemesis;
CREATE TABLE nemesis.log (
  number bigint GENERATED ALWAYS AS IDENTITY, type text, shard text, epoch bigint, watch text, before bigint, after bigint,
  address text DEFAULT host(inet_client_addr())
);
CREATE FUNCTION nemesis.claimed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.owner IS NOT NULL AND NEW.epoch <> OLD.epoch THEN
    INSERT INTO nemesis.log (type, shard, epoch) VALUES ('claim', NEW.key, NEW.epoch);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER UPDATE ON shards FOR EACH ROW EXECUTE FUNCTION nemesis.claimed();
CREATE FUNCTION nemesis.written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.log (type, watch, before, after) VALUES (
    lower(TG_OP), CASE TG_OP WHEN 'DELETE' THEN OLD.watch ELSE NEW.watch END,
    CASE TG_OP WHEN 'INSERT' THEN 0 ELSE OLD.version END, CASE TG_OP WHEN 'DELETE' THEN 0 ELSE NEW.version END);
  RETURN NULL;
END $$;
CREATE TRIGGER nemesis AFTER INSERT OR UPDATE OR DELETE ON memory FOR EACH ROW EXECUTE FUNCTION nemesis.written();
`;

/** Before a replica has claimed anything. */
export async function keepLog(url: string): Promise<void> {
  await execute(url, LOG);
}

export async function readLog(url: string): Promise<readonly Line[]> {
  const rows = await execute(url, 'SELECT * FROM nemesis.log ORDER BY number');
  return rows.map((row) => {
    const [number, address] = [Number(row['number']), String(row['address'])];
    return row['type'] === 'claim'
      ? { number, address, type: 'claim', shard: String(row['shard']), epoch: Number(row['epoch']) }
      : {
          ...{ number, address, type: row['type'] as Written['type'], watch: String(row['watch']) },
          ...{ before: Number(row['before']), after: Number(row['after']) },
        };
  });
}
