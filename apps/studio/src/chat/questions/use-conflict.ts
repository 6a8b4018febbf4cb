import { useSyncExternalStore } from 'react'
import type { CallBlock } from 'millrace'
import { useStudio } from '../../session/index.ts'
import type { SentWord } from '../../session/index.ts'
import { describeLate } from './describe-conflict.ts'

/** What is said of something that was sent from this page. */
export interface Late {
  /** What was sent to the call from this page. */
  readonly sent: SentWord | undefined
  /** What has counted in its place, if something else has. */
  readonly words: string | undefined
}

/** Follows whether what was sent to a call from this page has counted; also after its row had left the view. */
export function useLate(block: CallBlock, edited: string | undefined): Late {
  const { sentWords } = useStudio()
  const sent = useSyncExternalStore(sentWords.subscribe, () => sentWords.get(block.id))
  return { sent, words: describeLate({ block, edited, sent }) }
}
