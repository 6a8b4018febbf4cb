import { memo } from 'react'
import type { Block, TextBlock } from 'millrace'
import { CallCard } from '../calls/call-card.tsx'
import { ErrorCard } from './error-card.tsx'
import { ResultView } from '../results/result-view.tsx'
import { CompactionView } from './text-view.tsx'
import { ThinkingView } from './thinking-view.tsx'
import { UserBubble } from './user-bubble.tsx'

interface BlockViewProps {
  readonly agent: string
  readonly block: Block
  /** The run that it belongs to has ended. */
  readonly isOver: boolean
  /** It is one of many calls at once. */
  readonly isOneOfMany: boolean
}

/** Tells a block that belongs to the flow of the answer, with others before and behind it. */
export function isFlowing(block: Block): block is TextBlock {
  return block.type === 'text' && !block.compaction
}

/** One block outside of the flow of the answer, in the form that suits its type. */
export const BlockView = memo(function BlockView(props: BlockViewProps) {
  const { agent, block, isOver, isOneOfMany } = props
  switch (block.type) {
    case 'text':
      return <CompactionView block={block} />
    case 'thinking':
      return <ThinkingView block={block} />
    case 'user_message':
      return <UserBubble text={block.text} meanwhile />
    case 'tool_call':
    case 'server_tool_call':
      return <CallCard {...{ agent, block, isOver, isOneOfMany }} />
    case 'tool_result':
    case 'server_tool_result':
      return <ResultView block={block} />
    case 'error':
      return <ErrorCard error={block.error} />
  }
})
