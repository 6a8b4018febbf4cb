import { memo, useCallback, useMemo } from 'react'
import { childrenOf } from 'millrace'
import type { Block, CallBlock, Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { CallCard } from '../calls/index.ts'
import { ConflictNote, useConflict } from '../questions/index.ts'
import { ResultView } from '../results/index.ts'
import { AgentCard } from './agent-card.tsx'
import type { RenderColumn } from './agent-card.tsx'
import { ErrorCard } from './error-card.tsx'
import { CompactionView } from './text-view.tsx'
import { ThinkingView } from './thinking-view.tsx'
import { UserBubble } from './user-bubble.tsx'

interface BlockViewProps {
  readonly agent: string
  readonly block: Block
  /** The run of the block has ended. */
  readonly isOver: boolean
  /** The call belongs to a batch. */
  readonly isInBatch: boolean
  readonly renderColumn: RenderColumn
}

/** Shows a block outside of the answer's text by its type. */
export const BlockView = memo(function BlockView(props: BlockViewProps) {
  const { block } = props
  switch (block.type) {
    case 'text':
      return <CompactionView block={block} />
    case 'thinking':
      return <ThinkingView block={block} />
    case 'user_message':
      return <UserBubble text={block.text} isDuringRun />
    case 'tool_call':
    case 'server_tool_call':
      return <CallView {...props} block={block} />
    case 'tool_result':
    case 'server_tool_result':
      return <ResultView block={block} />
    case 'error':
      return <ErrorCard error={block.error} />
  }
})

interface CallViewProps extends BlockViewProps {
  readonly block: CallBlock
}

/** Shows a call as the agents that it spawned, or as a card. */
function CallView({ agent, block, isOver, isInBatch, renderColumn }: CallViewProps) {
  const { editedCalls } = useStudio()
  const spawned = useSpawned(agent, block.id)
  const edited = editedCalls.argumentsOf(block.id)
  const conflict = useConflict(block, edited)
  if (spawned.length === 0)
    return <CallCard {...{ agent, block, edited, conflict, isOver, isInBatch }} />
  return (
    <>
      <ConflictNote conflict={conflict} />
      <AgentCard agents={spawned} {...{ block, edited, isOver, renderColumn }} />
    </>
  )
}

/** Returns the ids of the agents that a call spawned. */
function useSpawned(parent: string, call: string): readonly string[] {
  const { session } = useStudio()
  // A string compares by value, so text of one agent does not render the others.
  const select = useCallback(
    (transcript: Transcript) =>
      transcript.agents.length > 1
        ? childrenOf(transcript, parent, call)
            .map(({ id }) => id)
            .join('\n')
        : '',
    [parent, call],
  )
  const ids = useTranscript(session, select)
  return useMemo(() => (ids === '' ? [] : ids.split('\n')), [ids])
}
