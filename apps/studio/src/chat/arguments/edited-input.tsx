import { toolInput } from 'millrace'
import type { CallBlock } from 'millrace'

/** Marks a call that ran with edited arguments. */
export function EditedMark({ edited }: { readonly edited: string | undefined }) {
  return edited === undefined ? null : <span className="edited-mark">edited by you</span>
}

/** Returns the arguments of a call: the edited ones if a user approved others than the model's. */
export function inputOf(block: CallBlock, edited: string | undefined): unknown {
  if (edited === undefined) return toolInput(block)
  try {
    return JSON.parse(edited)
  } catch {
    return toolInput(block)
  }
}
