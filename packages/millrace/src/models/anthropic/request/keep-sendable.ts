import type { ContentBlock } from '../../../events/index.ts'
import { isJsonObject, type JsonValue } from '../../../json/index.ts'
import { isServerToolCall, isServerToolResult } from './server-tools.ts'

/** Options of {@link keepSendable}. */
export interface KeepOptions {
  /** Whether provider calls may lack a result: the provider adds it in a later message. */
  readonly keepsPending: boolean
}

const thinkingTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/**
 * Selects the blocks of an interrupted answer that may precede a user message. Drops blank text, thinking without a
 * signature or at the end, provider calls without a result, and all calls and results within them.
 */
export function keepSendable(
  content: readonly ContentBlock[],
  { keepsPending }: KeepOptions,
): ContentBlock[] {
  const answered = new Set(content.filter(isServerToolResult).map((block) => block['tool_use_id']))
  const dropped = new Set<JsonValue | undefined>()
  const kept = content.filter((block) => {
    const { id, tool_use_id } = block
    const isPending = isServerToolCall(block) && !answered.has(id ?? null)
    const isOrphan = dropped.has(callerOf(block)) || dropped.has(tool_use_id)
    if (!isOrphan && !(isPending && !keepsPending)) return isSendable(block)
    if (id !== undefined) dropped.add(id)
    return false
  })
  while (thinkingTypes.has(kept.at(-1)?.type ?? '')) kept.pop()
  return kept
}

/** Returns the id of the code execution call that made a call. */
function callerOf({ caller }: ContentBlock): JsonValue | undefined {
  return isJsonObject(caller) ? caller['tool_id'] : undefined
}

function isSendable({ type, text, signature }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && /\S/.test(text)
  return type !== 'thinking' || (typeof signature === 'string' && signature !== '')
}
