import { useMemo } from 'react'
import type { CallBlock } from 'millrace'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ToolIcon } from '../shell/icons.tsx'
import { AgentCard } from './agent-card.tsx'
import { ApprovalForm } from './approval-form.tsx'
import { CallInput } from './call-input.tsx'
import { callLabels, toCallState } from './call-state.ts'
import { DiffView } from './diff/diff-view.tsx'
import { findChange } from './diff/find-change.ts'
import { EditedMark, inputOf } from './edited-input.tsx'
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
}

/** A call of a tool: what went in, as it is written, how far it is, and what came out. */
export function CallCard({ agent, block, isOver }: CallCardProps) {
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
    <Foldable
      asks={pending?.approval}
      summary={
        <>
          <ToolIcon />
          <span className="tool-name">{block.name}</span>
          {block.serverName && <span className="muted">on {block.serverName}</span>}
          <EditedMark edited={edited} />
          <span className="tool-state" data-state={state}>
            {callLabels[state]}
          </span>
        </>
      }
    >
      <InputView block={block} edited={edited} />
      {state === 'running' && <Progress block={block} />}
      {pending &&
        (pending.approval ? <ApprovalForm pending={pending} /> : <PendingForm pending={pending} />)}
      <LateNote late={late} />
      {block.result && <ResultBody result={block.result} />}
    </Foldable>
  )
}

interface InputViewProps {
  readonly block: CallBlock
  /** The arguments that a person approved in place of the model's, as JSON. */
  readonly edited: string | undefined
}

/** What goes into a call: as it is written, then as a diff if it changes a file. */
function InputView({ block, edited }: InputViewProps) {
  const isWhole = block.done || edited !== undefined
  const text = edited ?? block.text
  const change = useMemo(
    () => (isWhole ? findChange(inputOf(block, edited)) : undefined),
    [isWhole, block, edited],
  )
  if (!change) {
    return (
      <CallInput key={edited === undefined ? 'written' : 'edited'} text={text} growing={!isWhole} />
    )
  }
  const rest = Object.keys(change.rest).length > 0 ? JSON.stringify(change.rest) : undefined
  return (
    <>
      {rest !== undefined && <CallInput text={rest} growing={false} />}
      <DiffView files={change.files} />
    </>
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

interface FoldableProps {
  readonly summary: React.ReactNode
  /** Whether somebody has to do something in it. */
  readonly asks?: boolean | undefined
  readonly children: React.ReactNode
}

/** A card that folds; the browser's own element, so that it works with keys and finding in the page. */
function Foldable({ summary, asks = false, children }: FoldableProps) {
  const [open, setOpen] = useKept('card-open', true)
  return (
    <details
      className="card"
      data-asks={asks || undefined}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      <div className="card-body">{children}</div>
    </details>
  )
}
