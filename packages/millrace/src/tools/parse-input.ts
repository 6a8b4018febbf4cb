import type { Checked } from './input-contract.ts'

/** Reads the arguments that a model wrote; text that is no JSON is given back to it as it stands. */
export function parseInput(inputText: string): Checked<unknown> {
  if (inputText.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(inputText) }
  } catch {
    return { problem: JSON.stringify({ INVALID_JSON: inputText }) }
  }
}
