import type { Checked } from './input-contract.ts'

/** Parses the arguments that a model wrote. The problem of invalid JSON quotes the text. */
export function parseInput(inputText: string): Checked<unknown> {
  if (inputText.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(inputText) }
  } catch {
    return { problem: JSON.stringify({ INVALID_JSON: inputText }) }
  }
}
