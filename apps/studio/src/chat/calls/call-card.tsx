import type { CallBlock, ResultBlock } from 'millrace'
import { usePendingTools } from 'millrace/react'
import type { PendingToolHandle } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'
import { ToolIcon } from '../../ui/icons.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { AgentCard } from '../thread/agent-card.tsx'
import { ApprovalForm } from '../questions/approval-form.tsx'
import { callLabels, isOpenAtFirst, toCallState } from './call-state.ts'
import type { CallState } from './call-state.ts'
import { ArgumentsView } from '../arguments/arguments-view.tsx'
import { toShortInput, toShortResult } from './call-summary.ts'
import { CallDuration } from './call-duration.tsx'
import { DecisionNote } from './decision-note.tsx'
import { Foldable, useFold } from './collapsible-card.tsx'
import { RawJson } from '../../ui/text/raw-json.tsx'
import { RawToggle } from '../results/raw-toggle.tsx'
import type { ShownResult } from '../results/result-shapes.ts'
import {
  isMadeForReading,
  toShownResult,
  useAwaitedText,
  useShownArguments,
} from '../arguments/shown-arguments.ts'
import type { ShownArguments } from '../arguments/shown-arguments.ts'
import { useCurrentArguments } from '../arguments/use-current-arguments.ts'
import { useSeen } from '../arguments/use-arguments-visibility.ts'
import { EditedMark } from '../arguments/edited-input.tsx'
import { LateNote } from '../questions/conflict-note.tsx'
import { AnsweredNote, PendingForm } from '../questions/pending-form.tsx'
import { QuestionCard } from '../questions/question-card.tsx'
import { ResultBody } from '../results/result-view.tsx'
import { useKept } from '../../ui/kept-state.ts'
import { useLate } from '../questions/use-conflict.ts'
import { useSpawned } from '../thread/use-spawned.ts'

interface CallCardProps {
  readonly agent: string
  readonly block: CallBlock
  /** The run that it belongs to has ended. */
  readonly isOver: boolean
  /** It is one of many calls at once. */
  readonly isOneOfMany: boolean
}

/** A call of a tool: what went in, as it is written, how far it is, and what came out. */
export function CallCard({ agent, block, isOver, isOneOfMany }: CallCardProps) {
  const { session, editedCalls } = useStudio()
  // Logs from before ids were unique in a session may show one id in two agents. [CALL-1]
  const pending = usePendingTools(session).find(
    (tool) => tool.toolUseId === block.id && tool.agent === agent,
  )
  const spawned = useSpawned(agent, block.id)
  const edited = editedCalls.argumentsOf(block.id)
  const late = useLate(block, edited)
  if (spawned.length > 0) {
    return (
      <>
        <LateNote late={late} />
        <AgentCard agents={spawned} {...{ block, edited, isOver }} />
      </>
    )
  }
  const isQuestion = block.name === 'user_confirm' && pending?.approval !== true
  const state = toCallState(block, { waits: pending !== undefined, isOver })
  if (isQuestion && (pending || block.result || state === 'answered')) {
    return <QuestionCard {...{ block, pending, edited, late }} />
  }
  return (
    <ToolCard {...{ block, pending, edited, state, isOneOfMany }}>
      {pending && !pending.approval && <PendingForm pending={pending} />}
      {state === 'answered' && <AnsweredNote />}
      <LateNote late={late} />
    </ToolCard>
  )
}

interface ToolCardProps {
  readonly block: CallBlock
  readonly pending: PendingToolHandle | undefined
  /** The arguments that a person approved in place of the model's, as JSON. */
  readonly edited: string | undefined
  readonly state: CallState
  readonly isOneOfMany: boolean
  /** What somebody has to do, between what went in and what came out. */
  readonly children: React.ReactNode
}

function ToolCard({ block, pending, edited, state, isOneOfMany, children }: ToolCardProps) {
  const approval = pending?.approval ? pending : undefined
  const awaited = useAwaitedText(approval)
  const current = useCurrentArguments(block.id)
  const input = useShownArguments(block, edited ?? (approval && (current.text ?? awaited)))
  const { result } = block
  const shown = toShownResult(result)
  const [isRaw, setRaw] = useKept('card-raw', false)
  const seen = useSeen(input, approval !== undefined, isRaw)
  const fold = useFold(isOpenAtFirst(state, isOneOfMany))
  return (
    <Foldable
      {...{ fold, asks: approval !== undefined }}
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
          {fold.isOpen ? <Subject input={input} /> : <Digest {...{ input, result, shown }} />}
          <EditedMark edited={edited} />
          {result?.done && <CallDuration toolUseId={block.id} />}
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
      {isMadeForReading(input, result, shown) && (
        <RawToggle isRaw={isRaw} onToggle={setRaw} copy={input.shown?.text} />
      )}
    </Foldable>
  )
}

/** The file that a call is about. */
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

/** A call in a line: what went in, and what came out. */
function Digest({ input, result, shown }: DigestProps) {
  const gist = result && toShortResult(result, shown, input.value)
  return (
    <span className="call-subject">
      <VisibleText text={toShortInput(input.value, input.shown)} isSingleLine />
      {gist && (
        <span className="call-gist">
          {' '}
          → <VisibleText text={gist} isSingleLine />
        </span>
      )}
    </span>
  )
}

/** How far a tool is, in its own words. */
function Progress({ block: { status } }: { readonly block: CallBlock }) {
  if (status?.stage !== 'progress') return null
  return (
    <p className="tool-progress">
      <span className="ripple" aria-hidden="true" />
      <VisibleText text={status.detail} />
    </p>
  )
}
