import { runTool } from '../../../src/tools/index.ts'
import type { McpMount } from '../../../src/mcp/mount-mcp.ts'

/** The options of a call, for tests that observe or stop it. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly progress?: (message: string) => void
}

/** Calls a tool of a mount like an agent. */
export function callMounted(mount: McpMount, name: string, input = {}, options: CallOptions = {}) {
  const { signal = new AbortController().signal, progress = () => {} } = options
  const tool = mount.tools.find(({ schema }) => schema.name === name)
  if (tool?.kind !== 'backend') throw new Error(`no tool "${name}"`)
  const call = { id: 't1', name, inputText: JSON.stringify(input) }
  const received = { idempotencyKey: 'run/t1', agent: 'a', progress, onError: () => {} }
  return runTool(tool, call, { signal, ...received })
}
