import { createAgent } from '../../../src/agent/create-agent.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import { createMillrace, type Millrace } from '../../../src/server/in-process/create-millrace.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { defineTool } from '../../../src/tools/define-tool.ts'
import { anything, call, confirm, createGate, text, tool } from '../agents/agent-harness.ts'
import { createScriptedModel, type ScriptedReply } from '../agents/scripted-model.ts'

/** A server for code in its process. */
export interface OpenMill {
  readonly mill: Millrace<string>
  /** Releases the tool of prompts that begin with `hold`. */
  readonly gate: ReturnType<typeof createGate>
  /** The arguments with which the tool of prompts that begin with `erase` ran. */
  readonly erased: unknown[]
}

/** The answers of its agent, by the beginning of the newest message. */
const replies: Readonly<Record<string, ScriptedReply>> = {
  hold: { content: [text('first '), call('t1', 'slow')] },
  ask: { content: [call('c1', 'confirm', { question: 'sure?' })] },
  erase: { content: [call('a1', 'erase', { name: 'old' })] },
  hang: { content: [text('so far')], hangs: 'until_aborted' },
}

/** Opens a server on a store: `hold` waits for the gate, `ask` for the browser, `erase` for an approval; other prompts are answered. */
export function openMill(store: Store, options: Partial<HandlerOptions<string>> = {}): OpenMill {
  const gate = createGate()
  const erased: unknown[] = []
  const erase = defineTool({
    name: 'erase',
    description: '',
    input: anything,
    needsApproval: true,
    run: (input) => void erased.push(input),
  })
  const names = Object.keys(replies)
  const model = createScriptedModel(
    [...Object.values(replies), { content: [text('do'), text('ne')] }],
    ({ messages }) => {
      const newest = JSON.stringify(messages.at(-1)?.content.at(-1))
      const known = names.findIndex((name) => newest.includes(`"${name}`))
      return known < 0 ? names.length : known
    },
  )
  const slow = { ...tool('slow', () => gate.passed.then(() => 'slow ran')), idempotent: true }
  const miller = createAgent({ name: 'miller', model, tools: [slow, confirm, erase] })
  const mill = createMillrace<string>({
    agents: { miller },
    defaultAgent: 'miller',
    store,
    ...options,
  })
  return { mill, gate, erased }
}

/** The options of a server whose users are named by a header. */
export const byUser: Pick<HandlerOptions<string>, 'context' | 'owner'> = {
  context: ({ headers }) => headers.get('x-user') ?? '',
  owner: (user) => (user === '' ? null : user),
}
