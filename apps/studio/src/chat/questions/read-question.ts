import { readField, readString } from '../../json/index.ts'

/** A question that the input of a call asks. */
export interface AskedQuestion {
  readonly text: string
  /** The answers to choose from; none if any may be given. */
  readonly options: readonly string[]
}

const textFields = ['question', 'message', 'prompt']
const optionFields = ['options', 'choices']

/** A longer text is no question that a card can show. */
const MAX_TEXT = 4_000
const MAX_OPTIONS = 20
const MAX_OPTION = 200

/** Finds a question in the input of a tool that the page does not know, by the names that are common for one. */
export function readQuestion(input: unknown): AskedQuestion | undefined {
  const text = textFields.map((field) => readString(input, field)?.trim()).find(Boolean)
  if (text === undefined || text.length > MAX_TEXT) return undefined
  const given = optionFields.map((field) => readField(input, field)).find(Array.isArray)
  return { text, options: isOptionList(given) ? [...new Set(given)] : [] }
}

/** A list of which only a part could be shown would hide answers, so it is all or nothing. */
function isOptionList(given: readonly unknown[] | undefined): given is readonly string[] {
  if (!given || given.length > MAX_OPTIONS) return false
  return given.every(
    (option) => typeof option === 'string' && option.trim() !== '' && option.length <= MAX_OPTION,
  )
}
