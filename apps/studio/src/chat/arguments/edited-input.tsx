import { toolInput } from 'millrace'
import type { CallBlock } from 'millrace'

/** Says that a call ran with other arguments than the model's. */
export function EditedMark({ edited }: { readonly edited: string | undefined }) {
  return edited === undefined ? null : <span className="edited-mark">edited by you</span>
}

/** The arguments that a call has, as a value: those that a person approved in place of the model's, if they did. */
export function inputOf(block: CallBlock, edited: string | undefined): unknown {
  if (edited === undefined) return toolInput(block)
  try {
    return JSON.parse(edited)
  } catch {
    return toolInput(block)
  }
}
