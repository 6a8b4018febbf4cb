import type { CallBlock, ResultBlock } from 'millrace'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ToolIcon } from '../shell/icons.tsx'
import { AgentCard } from './agent-card.tsx'
import { ApprovalForm } from './approval-form.tsx'
import { callLabels, isOpenAtFirst, toCallState } from './call-state.ts'
import type { CallState } from './call-state.ts'
import { ArgumentsView } from './calls/arguments-view.tsx'
import { toShortInput, toShortResult } from './calls/call-digest.ts'
import { CallDuration } from './calls/call-duration.tsx'
import { Foldable, useFold } from './calls/foldable.tsx'
import { RawJson } from './calls/raw-json.tsx'
import { RawToggle } from './calls/raw-toggle.tsx'
import type { ShownResult } from './calls/result-shapes.ts'
import { isMadeForReading, useShownArguments, toShownResult } from './calls/shown-call.ts'
import type { ShownArguments } from './calls/shown-call.ts'
import { EditedMark } from './edited-input.tsx'
import { LateNote } from './late-note.tsx'
import { PendingForm } from './pending-form.tsx'
import { QuestionCard } from './question-card.tsx'
import { ResultBody } from './result-view.tsx'
import { useKept } from './rows/keep.ts'
import { useLate } from './use-late.ts'
import { useSpawned } from './use-spawned.ts'

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
  const pending = usePendingTools(session).find((tool) => tool.toolUseId === block.id)
  const spawned = useSpawned(agent, block.id)
  const edited = editedCalls.argumentsOf(agent, block.id)
  const late = useLate(agent, block, edited)
  if (spawned.length > 0) {
    return (
      <>
        <LateNote late={late} />
        <AgentCard agents={spawned} {...{ block, edited, isOver }} />
      </>
    )
  }
  const isQuestion = block.name === 'user_confirm' && pending?.approval !== true
  if (isQuestion && (pending || block.result)) {
    return <QuestionCard {...{ block, pending, edited, late }} />
  }
  const state = toCallState(block, { waits: pending !== undefined, isOver })
  return (
    <ToolCard {...{ agent, block, edited, state, isOneOfMany }} asks={pending?.approval}>
      {pending &&
        (pending.approval ? <ApprovalForm pending={pending} /> : <PendingForm pending={pending} />)}
      <LateNote late={late} />
    </ToolCard>
  )
}

interface ToolCardProps {
  readonly agent: string
  readonly block: CallBlock
  /** The arguments that a person approved in place of the model's, as JSON. */
  readonly edited: string | undefined
  readonly state: CallState
  readonly isOneOfMany: boolean
  readonly asks: boolean | undefined
  /** What somebody has to do, between what went in and what came out. */
  readonly children: React.ReactNode
}

function ToolCard({ agent, block, edited, state, isOneOfMany, asks, children }: ToolCardProps) {
  const input = useShownArguments(block, edited)
  const { result } = block
  const shown = toShownResult(result)
  const [isRaw, setRaw] = useKept('card-raw', false)
  const fold = useFold(isOpenAtFirst(state, isOneOfMany))
  return (
    <Foldable
      {...{ fold, asks }}
      summary={
        <>
          <ToolIcon />
          <span className="tool-name">{block.name}</span>
          {block.serverName && <span className="muted">on {block.serverName}</span>}
          {fold.isOpen ? <Subject input={input} /> : <Digest {...{ input, result, shown }} />}
          <EditedMark edited={edited} />
          {result?.done && <CallDuration agent={agent} toolUseId={block.id} />}
          <span className="tool-state" data-state={state}>
            {callLabels[state]}
          </span>
        </>
      }
    >
      {isRaw ? (
        <RawJson label="Input" text={input.text} />
      ) : (
        <ArgumentsView input={input} isEdited={edited !== undefined} />
      )}
      {state === 'running' && <Progress block={block} />}
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
  return shown?.path ? <span className="call-subject">{shown.path}</span> : null
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
      {toShortInput(input.value, input.shown)}
      {gist && <span className="call-gist"> → {gist}</span>}
    </span>
  )
}

/** How far a tool is, in its own words. */
function Progress({ block: { status } }: { readonly block: CallBlock }) {
  if (status?.stage !== 'progress') return null
  return (
    <p className="tool-progress">
      <span className="ripple" aria-hidden="true" />
      {status.detail}
    </p>
  )
}
