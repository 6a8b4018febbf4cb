import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/** The reasoning in a delta. */
export interface Reasoning {
  readonly text: string
  /** Its field, in which it is sent back. */
  readonly field: string | undefined
  /** OpenRouter's details: summaries, signatures, encrypted parts. */
  readonly details: readonly JsonObject[]
}

/**
 * Text fields of reasoning: of DeepSeek and vLLM, of OpenRouter and Ollama. A server that sends both repeats the
 * text.
 */
const textFields = ['reasoning_content', 'reasoning'] as const

/** Reads the reasoning of a delta in any known field. Returns undefined if there is none. */
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

/** Appends streamed details to a list. Joins each with the previous one if it continues it. */
export function appendDetails(list: JsonObject[], details: readonly JsonObject[]): void {
  for (const detail of details) {
    const last = list.at(-1)
    if (last !== undefined && isContinued(last, detail)) {
      list[list.length - 1] = joinDetails(last, detail)
    } else list.push(detail)
  }
}

/**
 * Checks whether a detail continues another. Signatures cover the whole text, so its parts must be sent back as one.
 */
function isContinued(last: JsonObject, next: JsonObject): boolean {
  return (
    last['type'] === next['type'] &&
    last['index'] === next['index'] &&
    next['type'] !== 'reasoning.encrypted'
  )
}

function joinDetails(last: JsonObject, next: JsonObject): JsonObject {
  const present = Object.entries(next).filter(([, value]) => value !== null)
  return {
    ...last,
    ...Object.fromEntries(present),
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
