import { useCallback } from 'react'
import type { RunMark, StepMark, Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { readNumber, readString } from '../../json/index.ts'
import { useStudio } from '../../session/index.ts'
import { hasUnansweredQuestion } from '../calls/index.ts'
import { toFigures } from './usage-figures.ts'

/** How a run ended, in a word; what `endings` tells needs none. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'Done',
  awaiting_frontend_tools: 'Waiting for you',
  awaiting_approval: 'Waiting for you',
  max_steps: 'Stopped at the step limit',
  error: 'Failed',
  aborted: 'Stopped',
}

/** What a stop reason means for the answer above it. */
const endings: Readonly<Record<string, string>> = {
  max_tokens: 'Cut off at max_tokens',
  model_context_window_exceeded: 'The conversation is longer than the model can read.',
  refusal: 'The provider stopped this answer; discard the partial answer.',
}

interface RunFooterProps {
  readonly run: RunMark
  readonly agent: string
  readonly isRoot: boolean
  /** Which run of its agent it is, from 0. */
  readonly position: number
  readonly onAskAgain: ((prompt: string) => void) | undefined
}

/** How a run ended and what it took. */
export function RunFooter({ run, agent, isRoot, position, onAskAgain }: RunFooterProps) {
  const { end, prompt, model } = run
  const isWaiting = useIsWaiting(agent, isRoot)
  const reason = readString(end, 'stop_reason') ?? ''
  const isUnanswered = useIsUnanswered(agent, position, reason === 'aborted')
  // A pause that is over is no end.
  if (reason.startsWith('awaiting_') && !isWaiting) return null
  const ending = endings[reason]
  const word = ending === undefined ? (reasons[reason] ?? reason) : ''
  // Of a step that was cut the model has counted nothing, or not all.
  const isLeast = reason === 'error' || (reason === 'aborted' && !isUnanswered)
  const facts = [word, ...figuresOf(end, reason, isLeast), model].filter(Boolean)
  return (
    <footer className="run-footer">
      {ending && <p className="interrupted">{ending}</p>}
      <span>{facts.join(' · ')}</span>
      {reason === 'error' && onAskAgain && (
        <button type="button" className="quiet-button ask-again" onClick={() => onAskAgain(prompt)}>
          Ask again
        </button>
      )}
    </footer>
  )
}

/** What a run took; nothing of one that was stopped in its first step, which nobody has counted. */
function figuresOf(end: RunMark['end'], reason: string, isLeast: boolean): readonly string[] {
  const steps = readNumber(end, 'total_steps')
  if (reason === 'aborted' && !steps) return []
  const counted = !steps ? [] : [`${steps} ${steps === 1 ? 'step' : 'steps'}`]
  return [...counted, ...toFigures(end, isLeast)]
}

/** Whether a run was stopped while a question of it had no answer: then its last step was whole. */
function useIsUnanswered(agent: string, run: number, isStopped: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    (transcript: Transcript) => isStopped && hasUnansweredQuestion(transcript, agent, { run }),
    [agent, run, isStopped],
  )
  return useTranscript(session, select)
}

/** Whether something of an agent waits for this page; of the root, whether anything does. */
function useIsWaiting(agent: string, isRoot: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    ({ pending }: Transcript) => pending.some((tool) => isRoot || tool.agent === agent),
    [agent, isRoot],
  )
  return useTranscript(session, select)
}

/** What one model call of a run took; the last one's is part of the run's own footer. */
export function StepFooter({ step }: { readonly step: StepMark | undefined }) {
  const number = readNumber(step?.info, 'step')
  const facts = [number === undefined ? 'A step' : `Step ${number}`, ...toFigures(step?.info)]
  return <p className="step-footer">{facts.join(' · ')}</p>
}
