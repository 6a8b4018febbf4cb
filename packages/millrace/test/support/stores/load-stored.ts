import type { AgentState } from '../../../src/agent/state/agent-state.ts'
import type { BlockStorage } from '../../../src/agent/port/index.ts'
import { readState } from '../../../src/agent/state/index.ts'
import { loadSession } from '../../../src/server/sessions/load-session.ts'
import type { StoredSession } from '../../../src/server/sessions/session-record.ts'
import { openState } from '../../../src/server/sessions/record-writer.ts'
import type { Store } from '../../../src/stores/port/index.ts'

/** Reads the data of a session beside its log. */
export async function loadStored(store: Store, session: string): Promise<StoredSession> {
  const loaded = await loadSession(store, await store.info(session))
  if (loaded === undefined) throw new Error(`Nothing is stored of session ${session}.`)
  return loaded.stored
}

/** Reads the state of the agent of a session, with names in place of files. */
export async function loadState(store: Store, session: string): Promise<AgentState | undefined> {
  const info = await store.info(session)
  const blocks: BlockStorage = { toStored: (block) => block, restore: async (given) => given }
  return info && (await readState({ ...openState(store, info), blocks }))?.state
}
