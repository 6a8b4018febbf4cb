import type { JsonObject } from 'millrace'

/** Checks for a call of a tool that runs at the provider. */
export function isServerToolCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use'
}

/** Checks for a result of a tool that runs at the provider. */
export function isServerToolResult({ type, tool_use_id: id }: JsonObject): boolean {
  return typeof id === 'string' && String(type).endsWith('_tool_result')
}

/** Returns the server tool calls without a result among these blocks. */
export function unansweredCalls(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(blocks.filter(isServerToolResult).map((block) => block['tool_use_id']))
  return blocks.filter((block) => isServerToolCall(block) && !answered.has(block['id'] ?? null))
}
