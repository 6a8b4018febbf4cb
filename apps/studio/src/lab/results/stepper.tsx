import { StepButtons } from './step-buttons.tsx'
import { speeds } from './use-player.ts'
import type { Player } from './use-player.ts'

interface StepperProps {
  readonly step: number
  readonly lastStep: number
  readonly player: Player
  readonly onStep: (step: number) => void
}

/** Moves through a run by steps, by playing or by dragging. */
export function Stepper({ step, lastStep, player, onStep }: StepperProps) {
  const name = stepName(step, lastStep)
  return (
    <div className="stepper" role="group" aria-label="Steps">
      <StepButtons step={step} lastStep={lastStep} player={player} onStep={onStep} />
      <input
        type="range"
        className="scrubber"
        min={0}
        max={lastStep}
        value={step}
        aria-label="Step"
        aria-valuetext={name}
        onChange={(event) => onStep(event.target.valueAsNumber)}
      />
      <span className="step-name" data-testid="step">
        {name}
      </span>
      <SpeedSelect player={player} />
    </div>
  )
}

/** Returns the name of a step. */
function stepName(step: number, lastStep: number): string {
  if (step === 0) return 'Nothing fed'
  if (step === lastStep) return 'End of stream'
  const chunks = (lastStep - 1).toLocaleString('en')
  return `Chunk ${step.toLocaleString('en')} of ${chunks}`
}

/** Selects the speed of playing. */
function SpeedSelect({ player: { speed, setSpeed } }: { readonly player: Player }) {
  return (
    <select
      aria-label="Speed"
      value={speed.label}
      onChange={(event) => {
        const chosen = speeds.find(({ label }) => label === event.target.value)
        if (chosen) setSpeed(chosen)
      }}
    >
      {speeds.map(({ label }) => (
        <option key={label}>{label}</option>
      ))}
    </select>
  )
}
