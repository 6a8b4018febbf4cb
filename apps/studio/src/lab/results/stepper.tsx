import { FirstIcon, LastIcon, PauseIcon, PlayIcon, StepBackIcon, StepIcon } from '../../ui/index.ts'
import { type Player, speeds } from './use-player.ts'

const back = [
  { label: 'First step', title: 'First (Home)', Icon: FirstIcon, move: -Infinity },
  { label: 'Previous step', title: 'Back (←)', Icon: StepBackIcon, move: -1 },
]

const forward = [
  { label: 'Next step', title: 'Forward (→)', Icon: StepIcon, move: 1 },
  { label: 'Last step', title: 'Last (End)', Icon: LastIcon, move: Infinity },
]

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

interface StepButtonsProps {
  readonly step: number
  readonly lastStep: number
  readonly player: Player
  readonly onStep: (step: number) => void
}

/** Shows the buttons for the first, previous, next and last step, and for playing. */
function StepButtons({ step, lastStep, player, onStep }: StepButtonsProps) {
  const toButton = ({ label, title, Icon, move }: (typeof back)[number]) => (
    <button
      key={label}
      type="button"
      aria-label={label}
      title={title}
      disabled={step === (move < 0 ? 0 : lastStep)}
      onClick={() => onStep(step + move)}
    >
      <Icon />
    </button>
  )
  return (
    <div className="step-buttons">
      {back.map(toButton)}
      <button
        type="button"
        className="play"
        aria-label={player.isPlaying ? 'Pause' : 'Play'}
        title="Play or pause (space)"
        onClick={player.toggle}
      >
        {player.isPlaying ? <PauseIcon /> : <PlayIcon />}
      </button>
      {forward.map(toButton)}
    </div>
  )
}
