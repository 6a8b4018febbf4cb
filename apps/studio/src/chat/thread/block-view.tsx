import { memo, useCallback, useMemo } from 'react'
import {
  type Block,
  type CallBlock,
  childrenOf,
  type ThinkingBlock,
  type Transcript,
} from 'millrace'
import { useTranscript } from 'millrace/react'
import { readField, readString } from '../../json/index.ts'
import { useStudio } from '../../session/index.ts'
import { AlertIcon, ThoughtIcon, useKeptState } from '../../ui/index.ts'
import { GrowingText, VisibleText } from '../../ui/text/index.ts'
import { CallCard } from '../calls/index.ts'
import { ConflictNote, useConflict } from '../questions/index.ts'
import { ResultView } from '../results/index.ts'
import { AgentCard, type RenderColumn } from './agent-card.tsx'
import { CompactionView } from './text-view.tsx'
import { UserBubble } from './user-bubble.tsx'

/** Titles of errors by type or code. */
const titles: Readonly<Record<string, string>> = {
  api_error: 'The model’s API failed',
  overloaded_error: 'The model is overloaded',
  rate_limit_error: 'Too many requests',
  authentication_error: 'The model’s API did not accept the key',
  permission_error: 'The key may not use this model',
  invalid_request_error: 'The model’s API did not accept the request',
  model_interrupted: 'The model’s answer was interrupted',
  model_failed: 'The model failed',
}

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

/** Shows the model's reasoning: expanded while it grows, then collapsed, unless the user chose. */
function ThinkingView({ block }: { block: ThinkingBlock }) {
  const { text, done, redacted, interrupted } = block
  const [chosen, setChosen] = useKeptState<boolean | undefined>('thought-open', undefined)
  const open = chosen ?? !done
  return (
    <details className="thinking" open={open}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          setChosen(!open)
        }}
      >
        <ThoughtIcon />
        {done ? `Thought${interrupted ? ' (interrupted)' : ''}` : 'Thinking…'}
      </summary>
      <div className="thinking-text">
        {redacted && text === '' ? (
          'The provider does not disclose this part.'
        ) : (
          <GrowingText text={text} />
        )}
      </div>
    </details>
  )
}

/** Shows an error of a run. */
function ErrorCard({ error }: { readonly error: unknown }) {
  const details = readField(error, 'error') ?? error
  const type = readString(details, 'type') ?? ''
  const code = readString(details, 'code') ?? ''
  const retriable = readField(details, 'retriable') === true
  return (
    <section className="error-card" aria-label="The run failed">
      <AlertIcon />
      <div>
        <strong>{titles[type] ?? titles[code] ?? 'The run failed'}</strong>
        <p>
          <VisibleText text={readString(details, 'message') ?? 'The server gave no reason.'} />
        </p>
        <p className="muted">
          {retriable ? 'Asking again may help.' : 'Asking again will probably fail again.'}
          {code && (
            <>
              {' '}
              <code>{code}</code>
            </>
          )}
        </p>
      </div>
    </section>
  )
}
