import type { CallBlock, ResultBlock } from 'millrace'
import { type PendingToolHandle, usePendingTools } from 'millrace/react'
import { useCallback, useSyncExternalStore } from 'react'
import { describeOutcome, useStudio } from '../../session/index.ts'
import { toDuration, toLocalTime } from '../../text/index.ts'
import { ToolIcon, useKeptState } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import {
  ArgumentsView,
  EditedMark,
  RawJson,
  type ShownArguments,
  useArgumentsVisibility,
  useAwaitedText,
  useCurrentArguments,
  useShownArguments,
} from '../arguments/index.ts'
import {
  AnsweredNote,
  ApprovalForm,
  type Conflict,
  ConflictNote,
  PendingForm,
  QuestionCard,
} from '../questions/index.ts'
import { RawToggle, ResultBody, type ShownResult, toShownResult } from '../results/index.ts'
import { callLabels, type CallState, isOpenAtFirst, toCallState } from './call-state.ts'
import { differsFromJson, toShortInput, toShortResult } from './call-summary.ts'
import { CollapsibleCard, useCollapse } from './collapsible-card.tsx'

interface CallCardProps {
  readonly agent: string
  readonly block: CallBlock
  /** The edited arguments that a user approved, as JSON. */
  readonly edited: string | undefined
  readonly conflict: Conflict
  /** The run of the call has ended. */
  readonly isOver: boolean
  /** The call belongs to a batch. */
  readonly isInBatch: boolean
}

/** Shows a tool call: its arguments while they are written, its state and its result. */
export function CallCard({ agent, block, edited, conflict, isOver, isInBatch }: CallCardProps) {
  const { session } = useStudio()
  // Logs from before ids were unique in a session may show one id in two agents. [CALL-1]
  const pending = usePendingTools(session).find(
    (tool) => tool.callId === block.id && tool.agent === agent,
  )
  const isQuestion = block.name === 'user_confirm' && pending?.approval !== true
  const state = toCallState(block, { isPending: pending !== undefined, isOver })
  if (isQuestion && (pending || block.result || state === 'answered')) {
    return <QuestionCard {...{ block, pending, edited, conflict }} />
  }
  return (
    <ToolCard {...{ block, pending, edited, state, isInBatch }}>
      {pending && !pending.approval && <PendingForm pending={pending} />}
      {state === 'answered' && <AnsweredNote />}
      <ConflictNote conflict={conflict} />
    </ToolCard>
  )
}

interface ToolCardProps {
  readonly block: CallBlock
  readonly pending: PendingToolHandle | undefined
  /** The edited arguments that a user approved, as JSON. */
  readonly edited: string | undefined
  readonly state: CallState
  readonly isInBatch: boolean
  /** Forms and notes between the arguments and the result. */
  readonly children: React.ReactNode
}

function ToolCard({ block, pending, edited, state, isInBatch, children }: ToolCardProps) {
  const approval = pending?.approval ? pending : undefined
  const awaited = useAwaitedText(approval)
  const current = useCurrentArguments(block.id)
  const input = useShownArguments(block, edited ?? (approval && (current.text ?? awaited)))
  const { result } = block
  const shown = toShownResult(result)
  const [isRaw, setRaw] = useKeptState('card-raw', false)
  const seen = useArgumentsVisibility(input, approval !== undefined, isRaw)
  const collapse = useCollapse(isOpenAtFirst(state, isInBatch))
  return (
    <CollapsibleCard
      {...{ collapse, isPending: approval !== undefined }}
      summary={
        <>
          <ToolIcon />
          <span className="tool-name">
            <VisibleText text={block.name} isSingleLine />
          </span>
          {block.serverName && (
            <span className="muted">
              on <VisibleText text={block.serverName} isSingleLine />
            </span>
          )}
          {collapse.isOpen ? <Subject input={input} /> : <Digest {...{ input, result, shown }} />}
          <EditedMark edited={edited} />
          {result?.done && <CallDuration callId={block.id} />}
          <span className="tool-state" data-state={state}>
            {callLabels[state]}
          </span>
        </>
      }
    >
      <ArgumentsView {...{ input, isRaw }} isEdited={edited !== undefined} view={seen.view} />
      {state === 'running' && <Progress block={block} />}
      {approval && (
        <ApprovalForm pending={approval} {...{ input, seen }} onChanged={current.load} />
      )}
      {!approval && <DecisionNote decision={block.decision} />}
      {children}
      {result && !isRaw && <ResultBody result={result} />}
      {result && isRaw && <RawJson label="Result" text={result.text} />}
      {differsFromJson(input, result, shown) && (
        <RawToggle isRaw={isRaw} onToggle={setRaw} copy={input.shown?.text} />
      )}
    </CollapsibleCard>
  )
}

/** Shows the path of the file that a call works on. */
function Subject({ input: { shown } }: { readonly input: ShownArguments }) {
  if (!shown?.path) return null
  return (
    <span className="call-subject">
      <VisibleText text={shown.path} isSingleLine />
    </span>
  )
}

interface DigestProps {
  readonly input: ShownArguments
  readonly result: ResultBlock | undefined
  readonly shown: ShownResult | undefined
}

/** Shows a call in one line: its arguments and its result. */
function Digest({ input, result, shown }: DigestProps) {
  const summary = result && toShortResult(result, shown, input.value)
  return (
    <span className="call-subject">
      <VisibleText text={toShortInput(input.value, input.shown)} isSingleLine />
      {summary && (
        <span className="call-result">
          {' '}
          → <VisibleText text={summary} isSingleLine />
        </span>
      )}
    </span>
  )
}

/** Shows the progress that a tool reports. */
function Progress({ block: { status } }: { readonly block: CallBlock }) {
  if (status?.stage !== 'progress') return null
  return (
    <p className="tool-progress">
      <span className="ripple" aria-hidden="true" />
      <VisibleText text={status.detail} />
    </p>
  )
}

/** Shows how long a completed call ran. The time appears once the times of the frames are loaded. */
function CallDuration({ callId }: { readonly callId: string }) {
  const { frames, callTimes } = useStudio()
  const read = useCallback(
    () => callTimes.durationOf(callId, frames.getSnapshot().frames),
    [callTimes, frames, callId],
  )
  const duration = useSyncExternalStore(frames.subscribe, read)
  if (duration === undefined) return null
  return <span className="call-duration">{toDuration(duration)}</span>
}

/** Shows who decided on a call, and when. */
function DecisionNote({ decision }: Pick<CallBlock, 'decision'>) {
  if (!decision) return null
  const { stage, by, at, edited } = decision
  return (
    <p className="decision-note">
      {describeOutcome(stage, edited)}
      {by !== undefined && (
        <>
          {' by '}
          <strong>
            <VisibleText text={by} isSingleLine />
          </strong>
        </>
      )}
      {', '}
      <time dateTime={at}>{toLocalTime(at)}</time>
    </p>
  )
}
