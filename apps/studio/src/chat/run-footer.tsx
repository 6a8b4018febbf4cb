import type { RunMark } from 'millrace'
import { readField, readNumber, readString } from '../text/read-field.ts'

const reasons: Readonly<Record<string, string>> = {
  end_turn: 'Done',
  awaiting_frontend_tools: 'Paused',
  max_tokens: 'Stopped at the token limit',
  model_context_window_exceeded: 'Stopped at the context limit',
  max_steps: 'Stopped at the step limit',
  refusal: 'The model declined',
  error: 'Failed',
  aborted: 'Stopped',
}

/** What it means for the answer above that a run ended so. */
const endings: Readonly<Record<string, string>> = {
  max_tokens: 'The answer met its limit of tokens and breaks off here.',
  model_context_window_exceeded: 'The conversation is longer than the model can read.',
  refusal: 'The provider stopped this answer. What it had said so far is not to be relied on.',
}

interface RunFooterProps {
  readonly run: RunMark
  readonly onAskAgain: ((prompt: string) => void) | undefined
}

/** How a run ended and what it took. */
export function RunFooter({ run: { end, prompt, model }, onAskAgain }: RunFooterProps) {
  const reason = readString(end, 'stop_reason') ?? ''
  const steps = readNumber(end, 'total_steps')
  const usage = readField(end, 'usage')
  const input = readNumber(usage, 'input_tokens')
  const output = readNumber(usage, 'output_tokens')
  const facts = [
    reasons[reason] ?? reason,
    steps !== undefined && `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    input !== undefined &&
      output !== undefined &&
      `${count(input)} tokens in, ${count(output)} out`,
    model,
  ].filter(Boolean)
  return (
    <footer className="run-footer">
      {endings[reason] && <p className="interrupted">{endings[reason]}</p>}
      <span>{facts.join(' · ')}</span>
      {reason === 'error' && onAskAgain && (
        <button type="button" className="quiet-button" onClick={() => onAskAgain(prompt)}>
          Ask again
        </button>
      )}
    </footer>
  )
}

function count(tokens: number): string {
  return tokens.toLocaleString('en')
}
