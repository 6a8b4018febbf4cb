import { createAgent } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { createProcessOwner } from 'millrace/node'
import { createHandler } from 'millrace/server'
import { createSqliteStore } from 'millrace/sqlite'
import { createEmulator } from 'millrace-tools/emulator'

const hasKey = Boolean(process.env.ANTHROPIC_API_KEY)
if (!hasKey) console.log('ANTHROPIC_API_KEY is not set: the emulator answers, to /demo long 500.')

const model = hasKey
  ? anthropic('claude-sonnet-5')
  : anthropic('emulator', { apiKey: 'none needed', fetch: createEmulator().fetch })

/** The fetch handler that every server of this folder serves. */
export const handler = createHandler({
  agents: { talker: createAgent({ name: 'talker', model }) },
  defaultAgent: 'talker',
  store: createSqliteStore({ path: process.env.RUNS_PATH ?? 'runs.db' }),
  // A new process on the same file continues the runs of one that has ended.
  ...createProcessOwner(),
})
