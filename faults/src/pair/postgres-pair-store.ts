import { startPostgres } from '@millrace/bench/servers'
import { readLogs } from '../mill/read-logs.ts'
import { openPostgresProxy, type PostgresFaults } from './postgres-proxy.ts'
import { type Holding, type PairStore, pidOf } from './pair-store.ts'

/** Records each new epoch of a session with the end of its log, without the code under test. */
const NOTE_EPOCHS = `
CREATE SCHEMA trial;
CREATE TABLE trial.epochs (session text, epoch bigint, after bigint);
CREATE FUNCTION trial.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.epoch <> OLD.epoch THEN
    INSERT INTO trial.epochs VALUES (NEW.session, NEW.epoch, NEW.tail);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON millrace.logs FOR EACH ROW EXECUTE FUNCTION trial.note();
`

const HOLDINGS =
  'SELECT session, epoch, tail, lease_owner FROM millrace.logs WHERE session = ANY ($1)'

/** Starts a Postgres; with faults, servers connect through a proxy that injects them. */
export async function openPostgresPairStore(faults?: PostgresFaults): Promise<PairStore> {
  const postgres = await startPostgres()
  const proxy = faults && (await openPostgresProxy(postgres.port, faults))
  const ending = new AbortController()
  const query: typeof postgres.query = async (...given) => {
    ending.signal.throwIfAborted()
    return postgres.query(...given)
  }
  const holdings: PairStore['holdings'] = async (sessions) => {
    const rows = await query(HOLDINGS, [sessions])
    const found = new Map(rows.map((row) => [String(row[0]), row]))
    return sessions.map((session) => toHolding(session, found.get(session)))
  }
  return {
    title: 'Postgres',
    address: proxy?.url ?? postgres.url,
    prepare: async () => void (await query(NOTE_EPOCHS)),
    holdings,
    log: async (session) => {
      const [holding] = await holdings([session])
      if (holding === undefined) throw new Error(`There is no session ${session}.`)
      const lines = (await readLogs(postgres.url, [session])).get(session) ?? []
      const select = 'SELECT after FROM trial.epochs WHERE session = $1 ORDER BY epoch'
      const begins = (await query(select, [session])).map(([after]) => Number(after))
      return { ...holding, lines, begins }
    },
    crash: async (between = async () => {}) => {
      await postgres.halt()
      await between()
      await postgres.start()
    },
    letGo: () => ending.abort(new Error('The trial is over.')),
    stop: async () => {
      await proxy?.close()
      await postgres.stop()
    },
  }
}

function toHolding(session: string, row: readonly unknown[] = []): Holding {
  const [, epoch, tail, owner] = row
  const pid = pidOf(owner as string | null | undefined)
  return { session, epoch: Number(epoch), tail: Number(tail), pid, isLost: false }
}
