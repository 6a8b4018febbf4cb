import { useSyncExternalStore } from 'react'
import type { CallBlock } from 'millrace'
import { useStudio } from '../session/studio-context.ts'
import { describeLate } from './describe-late.ts'

/** What is said of something that was sent from this page. */
export interface Late {
  /** Something was sent to the call from this page. */
  readonly isSent: boolean
  /** What has counted in its place, if something else has. */
  readonly words: string | undefined
}

/** Follows whether what was sent to a call from this page has counted; also after its row had left the view. */
export function useLate(agent: string, block: CallBlock, edited: string | undefined): Late {
  const { sentWords } = useStudio()
  const call = { agent, toolUseId: block.id }
  const sent = useSyncExternalStore(sentWords.subscribe, () => sentWords.get(call))
  return { isSent: sent !== undefined, words: describeLate({ block, edited, sent }) }
}
