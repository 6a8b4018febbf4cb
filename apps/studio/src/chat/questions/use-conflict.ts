import { useSyncExternalStore } from 'react'
import type { CallBlock } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'
import { describeConflict } from './describe-conflict.ts'

/** What is said of something that was sent from this page. */
export interface Conflict {
  /** What was sent to the call from this page. */
  readonly sent: SentCommand | undefined
  /** What has counted in its place, if something else has. */
  readonly text: string | undefined
}

/** Follows whether what was sent to a call from this page has counted; also after its row had left the view. */
export function useConflict(block: CallBlock, edited: string | undefined): Conflict {
  const { sentCommands } = useStudio()
  const sent = useSyncExternalStore(sentCommands.subscribe, () => sentCommands.get(block.id))
  return { sent, text: describeConflict({ block, edited, sent }) }
}
