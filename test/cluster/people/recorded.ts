// What the database of a run notes about people: what was decided, what messages were made and settled, what operators did,
// and which config was in force. What a failover has lost is read from the data of the former server.
import { z } from 'zod';
import { SEVERITIES } from '../../../src/core/model/ids.ts';
import { TRANSITIONS } from '../../../src/store/tables/alerts/notifications.ts';
import { execute } from '../../support/store/postgres-server.ts';

const Transition = z.object({
  key: z.string(),
  seq: z.number(),
  transition: z.enum(TRANSITIONS),
  labels: z.record(z.string(), z.string()),
  message: z.object({
    key: z.string(),
    episode: z.number(),
    seq: z.number(),
    watch: z.string(),
    alert: z.string(),
    severity: z.enum(SEVERITIES),
    reason: z.string().nullable(),
    at: z.number(),
    summary: z.object({ keys: z.array(z.string()) }).nullable(),
  }),
});
export type RecordedTransition = z.output<typeof Transition>;

const Kind = z.enum(['news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary']);
const Delivery = z.object({
  id: z.string(),
  channel: z.string(),
  recipient: z.string(),
  kind: Kind,
  state: z.enum(['due', 'sending', 'sent', 'dead', 'merged', 'cancelled', 'parked']),
  attempt: z.number(),
});
const Member = z.object({
  id: z.string(),
  key: z.string(),
  seq: z.number(),
  sent_as: z.enum(['news', 'repeat', 'fired-and-resolved']),
  held_at: z.number().nullable(),
  renewed: z.object({ why: z.string() }).nullable(),
});
export type RecordedMember = z.output<typeof Member>;
const Operated = z.object({ key: z.string(), answer: z.object({ action: z.string(), answer: z.unknown() }) });

const at = { at: z.coerce.number() };
const Line = z.discriminatedUnion('type', [
  z.object({ ...at, type: z.literal('transition'), body: Transition }),
  z.object({ ...at, type: z.literal('made'), body: Delivery }),
  z.object({ ...at, type: z.literal('turned'), body: Delivery }),
  z.object({ ...at, type: z.literal('member'), body: Member }),
  z.object({ ...at, type: z.literal('operated'), body: Operated }),
  z.object({ ...at, type: z.literal('config'), body: z.object({ config: z.string().nullable() }) }),
  // The replica that dispatches has compared the clock, which showed that.
  z.object({ ...at, type: z.literal('compared'), body: z.object({ clock: z.coerce.number() }) }),
]);
export type Recorded = z.output<typeof Line>;

// In JSON as text: names may have what `jsonb` refuses.
const RECORD = `
CREATE TABLE nemesis.people (number bigint GENERATED ALWAYS AS IDENTITY, type text, body json,
  at bigint DEFAULT floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000));

CREATE FUNCTION nemesis.decided() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) VALUES ('transition', json_build_object('key', NEW.key, 'seq', NEW.seq,
    'transition', NEW.transition, 'labels', NEW.labels::json, 'message', NEW.message::json));
  RETURN NULL;
END $$;
CREATE TRIGGER people AFTER INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION nemesis.decided();

CREATE FUNCTION nemesis.made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) VALUES (
    CASE TG_OP WHEN 'INSERT' THEN 'made' ELSE 'turned' END,
    json_build_object('id', NEW.id, 'channel', NEW.channel, 'recipient', NEW.recipient, 'kind', NEW.kind,
      'state', NEW.state, 'attempt', NEW.attempt));
  RETURN NULL;
END $$;
CREATE TRIGGER people_made AFTER INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION nemesis.made();
CREATE TRIGGER people_turned AFTER UPDATE ON deliveries FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state <> 'sending') EXECUTE FUNCTION nemesis.made();

CREATE FUNCTION nemesis.membered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) SELECT 'member', json_build_object('id', id, 'key', NEW.key, 'seq', NEW.seq,
    'sent_as', NEW.sent_as, 'held_at', NEW.held_at, 'renewed', NEW.renewed::json)
    FROM deliveries WHERE number = NEW.delivery;
  RETURN NULL;
END $$;
CREATE TRIGGER people AFTER INSERT ON group_member FOR EACH ROW EXECUTE FUNCTION nemesis.membered();

CREATE FUNCTION nemesis.operated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) VALUES ('operated', json_build_object('key', NEW.key, 'answer', NEW.answer::json));
  RETURN NULL;
END $$;
CREATE TRIGGER people AFTER INSERT ON operator_requests FOR EACH ROW EXECUTE FUNCTION nemesis.operated();

CREATE FUNCTION nemesis.agreed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) VALUES ('config', json_build_object('config', NEW.config));
  RETURN NULL;
END $$;
CREATE TRIGGER people AFTER UPDATE ON cluster FOR EACH ROW
  WHEN (NEW.config IS DISTINCT FROM OLD.config) EXECUTE FUNCTION nemesis.agreed();

CREATE FUNCTION nemesis.compared() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO nemesis.people (type, body) VALUES ('compared', json_build_object('clock', NEW.value));
  RETURN NULL;
END $$;
CREATE TRIGGER people AFTER INSERT OR UPDATE ON facts FOR EACH ROW
  WHEN (NEW.name = 'dispatched-at') EXECUTE FUNCTION nemesis.compared();
`;

/** Beside the log of the run (`database.ts`). */
export async function recordPeople(url: string): Promise<void> {
  await execute(url, RECORD);
}

export async function readPeople(url: string): Promise<readonly Recorded[]> {
  const rows = await execute(url, 'SELECT type, body, at FROM nemesis.people ORDER BY number');
  return rows.map((row) => Line.parse(row));
}
