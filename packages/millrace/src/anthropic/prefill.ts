import type { ContentBlock, ModelRequest } from '../events/index.ts'

/** The families up to Claude 4.5; later ones refuse a request that ends with an answer. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Tells whether a model takes the beginning of its answer from the request. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** The request with which a model goes on from text of its own; undefined where the API would refuse it. */
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

/** Removes white space from the end of an answer to go on from, with which the API refuses it. */
export function trimLast(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.at(-1)
  if (last === undefined) return content
  return [...content.slice(0, -1), { ...last, text: String(last['text']).trimEnd() }]
}
