import { useSyncExternalStore } from 'react'
import type { CallBlock } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import { describeConflict } from './describe-conflict.ts'

/** State of a command that was sent from this page. */
export interface Conflict {
  /** The command that was sent to the call. */
  readonly sent: SentCommand | undefined
  /** Description of the command that won, if another one did. */
  readonly text: string | undefined
}

/** Tracks whether the command that this page sent to a call was accepted, also after its row left the view. */
export function useConflict(block: CallBlock, edited: string | undefined): Conflict {
  const { sentCommands } = useStudio()
  const sent = useSyncExternalStore(sentCommands.subscribe, () => sentCommands.get(block.id))
  return { sent, text: describeConflict({ block, edited, sent }) }
}

/** Shows that another command won. It is empty before, so that screen readers announce the change. */
export function ConflictNote({ conflict: { sent, text } }: { readonly conflict: Conflict }) {
  if (!sent) return null
  return (
    <p className="conflict-note" role="status">
      {text !== undefined && <VisibleText text={text} />}
    </p>
  )
}
