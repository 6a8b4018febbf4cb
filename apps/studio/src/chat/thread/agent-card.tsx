import { useCallback, useEffect, useId } from 'react'
import type { ReactNode } from 'react'
import { agentOf, showHiddenCharacters } from 'millrace'
import type { CallBlock, ResultBlock, Transcript } from 'millrace'
import { stopRun } from 'millrace/client'
import { useAgent, useTranscript } from 'millrace/react'
import { readString } from '../../json/index.ts'
import { styleOf, useAgentStyles, useStopRequest, useStudio } from '../../session/index.ts'
import type { AgentStyles } from '../../session/index.ts'
import { AgentIcon, useKeptState } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import { CallInput, EditedMark, inputOf } from '../arguments/index.ts'
import { hasUnansweredQuestion } from '../calls/index.ts'
import { ResultBody } from '../results/index.ts'
import { useScrollView } from '../rows/index.ts'

/** Renders the column of an agent. */
export type RenderColumn = (agent: string, isOver: boolean) => ReactNode

interface AgentCardProps {
  readonly block: CallBlock
  /** Ids of the agents that the call spawned. */
  readonly agents: readonly string[]
  /** The edited arguments that a user approved, as JSON. */
  readonly edited?: string | undefined
  /** The run of the call has ended. */
  readonly isOver: boolean
  readonly renderColumn: RenderColumn
}

/** Shows a call that spawned agents: expanded while they work, then collapsed, unless the user chose. */
export function AgentCard({ block, agents, edited, isOver, renderColumn }: AgentCardProps) {
  const [chosen, setChosen] = useKeptState<boolean | undefined>('lane-open', undefined)
  const isWorking = !block.result && !block.interrupted && !isOver
  const isUnfinished = useIsUnfinished(agents)
  const open = chosen ?? (isWorking || (!block.result && isUnfinished))
  const body = useId()
  const agentStyles = useAgentStyles()
  useExpandRequests(agents, () => setChosen(true))
  const task = readString(inputOf(block, edited), 'task')
  return (
    <section
      className="card agent-card"
      aria-label={`Sub-agent: ${showHiddenCharacters(task ?? block.name)}`}
    >
      <header>
        <button
          type="button"
          className="agent-toggle"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setChosen(!open)}
        >
          <AgentMarks {...{ agents, agentStyles }} />
          <span className="agent-task">{task && <VisibleText text={task} />}</span>
          <EditedMark edited={edited} />
          <AgentState {...{ block, agents, isWorking }} />
        </button>
        {isWorking && agents.map((id) => <StopAgent key={id} agent={id} />)}
      </header>
      <div id={body} className="card-body" hidden={!open}>
        {open &&
          agents.map((id) => (
            <div key={id} className="lane" data-agent-color={styleOf(agentStyles, id).color}>
              {renderColumn(id, !isWorking)}
            </div>
          ))}
        {open && block.result && <RawCall text={edited ?? block.text} result={block.result} />}
      </div>
    </section>
  )
}

/** Registers functions that expand the columns, so that other components can reveal their blocks. */
function useExpandRequests(agents: readonly string[], open: () => void): void {
  const { lanes } = useScrollView()
  useEffect(() => {
    for (const id of agents) lanes.set(id, open)
    return () => {
      for (const id of agents) lanes.delete(id)
    }
  })
}

/** Reports whether an agent has no end frame; then its last state is of interest. */
function useIsUnfinished(agents: readonly string[]): boolean {
  const { session } = useStudio()
  const select = useCallback(
    (transcript: Transcript) => agents.some((id) => !agentOf(transcript, id)?.runs.at(-1)?.end),
    [agents],
  )
  return useTranscript(session, select)
}

interface AgentMarksProps {
  readonly agents: readonly string[]
  readonly agentStyles: AgentStyles
}

/** Shows the names of agents in their colors. */
function AgentMarks({ agents, agentStyles }: AgentMarksProps) {
  return agents.map((id) => {
    const { label, color } = styleOf(agentStyles, id)
    return (
      <span key={id} className="agent-mark" data-agent-color={color}>
        <AgentIcon />
        <span className="tool-name">{label}</span>
      </span>
    )
  })
}

const labels = {
  working: 'Working…',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  interrupted: 'Interrupted',
  stopped: 'Stopped',
  unanswered: 'Not answered',
} as const

interface AgentStateProps {
  readonly block: CallBlock
  readonly agents: readonly string[]
  readonly isWorking: boolean
}

function AgentState({ block: { result, interrupted }, agents, isWorking }: AgentStateProps) {
  const { session } = useStudio()
  const isFailed = result?.isError === true
  const isInterrupted = interrupted || result?.interrupted === true
  const hasEnded = result !== undefined || interrupted
  const select = useCallback(
    (transcript: Transcript): keyof typeof labels => {
      const isWaiting = transcript.pending.some(({ agent }) => agents.includes(agent))
      const isStopped = agents.some((id) => reasonOf(transcript, id) === 'aborted')
      if (isWorking) return isWaiting ? 'waiting' : 'working'
      if (isStopped && agents.some((id) => hasUnansweredQuestion(transcript, id)))
        return 'unanswered'
      if (isStopped || !hasEnded) return 'stopped'
      if (isFailed) return 'failed'
      return isInterrupted ? 'interrupted' : 'done'
    },
    [agents, isWorking, isFailed, isInterrupted, hasEnded],
  )
  const state = useTranscript(session, select)
  return (
    <span className="tool-state" data-state={state}>
      {labels[state]}
    </span>
  )
}

function reasonOf(transcript: Transcript, agent: string): string | undefined {
  return readString(agentOf(transcript, agent)?.summary, 'stop_reason')
}

/** Stops one agent; the others continue. */
function StopAgent({ agent }: { readonly agent: string }) {
  const { session, readOnly } = useStudio()
  const { connection } = useAgent(session)
  const { isStopping, stop } = useStopRequest(() => stopRun(session, agent))
  const select = useCallback(
    ({ pending }: Transcript) => pending.some((tool) => tool.agent === agent),
    [agent],
  )
  const isWaiting = useTranscript(session, select)
  // While all agents wait, only those with a pending call can be stopped.
  if (readOnly || (connection.state === 'idle' && !isWaiting)) return null
  return (
    <button type="button" className="quiet-button" disabled={isStopping} onClick={stop}>
      {isStopping ? 'Stopping…' : 'Stop'}
    </button>
  )
}

/** Shows the arguments of the call and the result as the model read it. */
function RawCall({ text, result }: { readonly text: string; readonly result: ResultBlock }) {
  return (
    <details className="raw-call">
      <summary>The call and its result</summary>
      <CallInput text={text} growing={false} />
      <ResultBody result={result} />
    </details>
  )
}
