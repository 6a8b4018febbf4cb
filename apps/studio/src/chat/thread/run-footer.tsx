import { useCallback } from 'react'
import { isPauseReason, type RunMark, type StepMark, type Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { readField, readNumber, readString } from '../../json/index.ts'
import { useStudio } from '../../session/index.ts'
import { toCount, toDollars } from '../../text/index.ts'
import { hasUnansweredQuestion } from '../calls/index.ts'

/** Labels of stop reasons, except for those in `endings`. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'Done',
  awaiting_frontend_tools: 'Waiting for you',
  awaiting_approval: 'Waiting for you',
  max_steps: 'Stopped at the step limit',
  error: 'Failed',
  aborted: 'Stopped',
}

/** Explanations of stop reasons that affect the answer. */
const endings: Readonly<Record<string, string>> = {
  max_tokens: 'Interrupted at max_tokens',
  model_context_window_exceeded: 'The conversation exceeds the context window of the model.',
  refusal: 'The provider stopped this answer; discard the partial answer.',
}

interface RunFooterProps {
  readonly run: RunMark
  readonly agent: string
  readonly isRoot: boolean
  /** Number of the run of its agent, from 0. */
  readonly position: number
  readonly onAskAgain: ((prompt: string) => void) | undefined
}

/** Shows how a run ended and its usage. */
export function RunFooter({ run, agent, isRoot, position, onAskAgain }: RunFooterProps) {
  const { end, prompt, model } = run
  const isWaiting = useIsWaiting(agent, isRoot)
  const reason = readString(end, 'stop_reason') ?? ''
  const isUnanswered = useIsUnanswered(agent, position, reason === 'aborted')
  // A pause that is over is not an end.
  if (isPauseReason(reason) && !isWaiting) return null
  const ending = endings[reason]
  const word = ending === undefined ? (reasons[reason] ?? reason) : ''
  // The usage of an aborted step is unknown or incomplete.
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

/** Returns the usage of a run; nothing if it was stopped in its first step. */
function figuresOf(end: RunMark['end'], reason: string, isLeast: boolean): readonly string[] {
  const steps = readNumber(end, 'total_steps')
  if (reason === 'aborted' && !steps) return []
  const counted = !steps ? [] : [`${steps} ${steps === 1 ? 'step' : 'steps'}`]
  return [...counted, ...toFigures(end, isLeast)]
}

/** Reports whether a run was stopped while a question had no answer; then its last step is complete. */
function useIsUnanswered(agent: string, run: number, isStopped: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    (transcript: Transcript) => isStopped && hasUnansweredQuestion(transcript, agent, { run }),
    [agent, run, isStopped],
  )
  return useTranscript(session, select)
}

/** Reports whether a call of an agent is pending; for the root, whether any is. */
function useIsWaiting(agent: string, isRoot: boolean): boolean {
  const { session } = useStudio()
  const select = useCallback(
    ({ pending }: Transcript) => pending.some((tool) => isRoot || tool.agent === agent),
    [agent, isRoot],
  )
  return useTranscript(session, select)
}

/** Shows the usage of one step; that of the last step is in the footer of the run. */
export function StepFooter({ step }: { readonly step: StepMark | undefined }) {
  const number = readNumber(step?.info, 'step')
  const facts = [number === undefined ? 'A step' : `Step ${number}`, ...toFigures(step?.info)]
  return <p className="step-footer">{facts.join(' · ')}</p>
}

/** Describes tokens and cost; `isLeast` if they may be higher. */
function toFigures(info: unknown, isLeast = false): readonly string[] {
  const usage = readField(info, 'usage')
  const input = readNumber(usage, 'input_tokens')
  const output = readNumber(usage, 'output_tokens')
  const cached = readNumber(usage, 'cache_read_input_tokens') ?? 0
  const cost = readNumber(readField(info, 'cost'), 'total_cost')
  const least = isLeast ? 'at least ' : ''
  const hasTokens = input !== undefined && output !== undefined
  return [
    ...(hasTokens ? [`${least}${toCount(input)} tokens in, ${toCount(output)} out`] : []),
    ...(cached > 0 ? [`${toCount(cached)} from the cache`] : []),
    ...(cost === undefined ? [] : [`${least}${toDollars(cost)}`]),
  ]
}
