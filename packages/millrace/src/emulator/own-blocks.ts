import type { JsonObject } from '../json/index.ts'

/** Tells whether a block calls a tool that the provider runs itself. */
export function isOwnCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use'
}

/** Tells whether a block is the result of such a call. */
export function isOwnResult({ type, tool_use_id: id }: JsonObject): boolean {
  return typeof id === 'string' && String(type).endsWith('_tool_result')
}

/** The provider's own calls in some blocks that have no result there. */
export function waitingCalls(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(blocks.filter(isOwnResult).map((block) => block['tool_use_id']))
  return blocks.filter((block) => isOwnCall(block) && !answered.has(block['id'] ?? null))
}
