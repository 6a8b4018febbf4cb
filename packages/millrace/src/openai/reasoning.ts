import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** The reasoning in a delta. */
export interface Reasoning {
  readonly text: string
  /** The field that it came in, and in which it goes back. */
  readonly field: string | undefined
  /** What OpenRouter sends beside the text: summaries, signatures, encrypted parts. */
  readonly details: readonly JsonObject[]
}

/** Fields with reasoning as text, by DeepSeek and vLLM, by OpenRouter and Ollama; a server that fills both repeats itself. */
const textFields = ['reasoning_content', 'reasoning'] as const

/** Reads the reasoning of a delta, whatever its server calls it; undefined if there is none. */
export function readReasoning(delta: JsonObject): Reasoning | undefined {
  const given = delta['reasoning_details']
  if (given === undefined && textFields.every((field) => delta[field] === undefined)) {
    return undefined
  }
  const details = isJsonArray(given) ? given.filter(isJsonObject) : []
  const field = textFields.find((name) => typeof delta[name] === 'string' && delta[name] !== '')
  if (field !== undefined) return { text: String(delta[field]), field, details }
  return { text: details.map(textOfDetail).join(''), field: undefined, details }
}

function textOfDetail({ text, summary }: JsonObject): string {
  if (typeof text === 'string') return text
  return typeof summary === 'string' ? summary : ''
}

/** Adds streamed pieces of details to a list, each to the piece before it if it continues that. */
export function appendDetails(list: JsonObject[], details: readonly JsonObject[]): void {
  for (const detail of details) {
    const last = list.at(-1)
    if (last !== undefined && isContinued(last, detail)) {
      list[list.length - 1] = joinDetails(last, detail)
    } else list.push(detail)
  }
}

/** Signatures hold for the whole text: pieces that were sent apart must go back as one. */
function isContinued(last: JsonObject, next: JsonObject): boolean {
  return (
    last['type'] === next['type'] &&
    last['index'] === next['index'] &&
    next['type'] !== 'reasoning.encrypted'
  )
}

function joinDetails(last: JsonObject, next: JsonObject): JsonObject {
  const told = Object.entries(next).filter(([, value]) => value !== null)
  return {
    ...last,
    ...Object.fromEntries(told),
    ...joinField(last, next, 'text'),
    ...joinField(last, next, 'summary'),
  }
}

function joinField(last: JsonObject, next: JsonObject, field: string): JsonObject {
  const before: JsonValue | undefined = last[field]
  const after = next[field]
  if (typeof before !== 'string' || typeof after !== 'string') return {}
  return { [field]: before + after }
}
