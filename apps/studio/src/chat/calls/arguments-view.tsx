import { CallInput } from '../call-input.tsx'
import { DiffView } from '../diff/diff-view.tsx'
import { CodeInput } from './code-input.tsx'
import type { ShownArguments } from './shown-call.ts'

interface ArgumentsViewProps {
  readonly input: ShownArguments
  /** A person has changed them. */
  readonly isEdited: boolean
}

/** What goes into a call: a diff if it changes a file, a text if it is one above all, and JSON otherwise. */
export function ArgumentsView({ input, isEdited }: ArgumentsViewProps) {
  const { text, isWhole, change, shown } = input
  const key = isEdited ? 'edited' : 'written'
  if (shown) {
    return (
      <>
        <CodeInput key={key} shown={shown} growing={!isWhole} />
        <Rest rest={shown.rest} />
      </>
    )
  }
  if (!change) return <CallInput key={key} text={text} growing={!isWhole} />
  return (
    <>
      <Rest rest={change.rest} />
      <DiffView files={change.files} />
    </>
  )
}

/** What else is in an input. */
function Rest({ rest }: { readonly rest: Readonly<Record<string, unknown>> }) {
  if (Object.keys(rest).length === 0) return null
  return <CallInput text={JSON.stringify(rest)} growing={false} />
}
