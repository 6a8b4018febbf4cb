import type { ContentBlock, ModelRequest } from '../../../events/index.ts'

/** Model families up to Claude 4.5. Later ones reject a request that ends with an answer. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Checks whether a model accepts a prefilled answer. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** Creates the request that continues a model's text by prefill. Returns undefined if the API would reject it. */
export function toPrefilled(
  request: ModelRequest,
  content: readonly ContentBlock[],
): ModelRequest | undefined {
  const { messages, tools = [] } = request
  const last = content.at(-1)
  if (tools.length > 0 || last?.type !== 'text' || messages.at(-1)?.role === 'assistant')
    return undefined
  return { ...request, messages: [...messages, { role: 'assistant', content: trimLast(content) }] }
}

/** Removes trailing white space from a prefilled answer, which the API would reject. */
export function trimLast(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.at(-1)
  if (last === undefined) return content
  return [...content.slice(0, -1), { ...last, text: String(last['text']).trimEnd() }]
}
