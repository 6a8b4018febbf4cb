import { readField, readString } from '../../json/index.ts'

/** A question in the input of a call. */
export interface AskedQuestion {
  readonly text: string
  /** Possible answers; empty for a free answer. */
  readonly options: readonly string[]
}

const textFields = ['question', 'message', 'prompt']
const optionFields = ['options', 'choices']

/** Longer texts are not shown as a question. */
const MAX_TEXT = 4_000
const MAX_OPTIONS = 20
const MAX_OPTION = 200

/** Finds a question in the input of an unknown tool by common field names. */
export function readQuestion(input: unknown): AskedQuestion | undefined {
  const text = textFields.map((field) => readString(input, field)?.trim()).find(Boolean)
  if (text === undefined || text.length > MAX_TEXT) return undefined
  const given = optionFields.map((field) => readField(input, field)).find(Array.isArray)
  return { text, options: isOptionList(given) ? [...new Set(given)] : [] }
}

/** Reports whether a list can be shown as options. A part of it would hide answers. */
function isOptionList(given: readonly unknown[] | undefined): given is readonly string[] {
  if (!given || given.length > MAX_OPTIONS) return false
  return given.every(
    (option) => typeof option === 'string' && option.trim() !== '' && option.length <= MAX_OPTION,
  )
}
