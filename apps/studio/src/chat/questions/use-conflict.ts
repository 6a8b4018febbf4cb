import { useSyncExternalStore } from 'react'
import type { CallBlock } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'
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
