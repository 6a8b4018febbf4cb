import { FirstIcon, LastIcon, PauseIcon, PlayIcon, StepBackIcon, StepIcon } from '../../ui/index.ts'
import type { Player } from './use-player.ts'

interface StepButtonsProps {
  readonly step: number
  readonly lastStep: number
  readonly player: Player
  readonly onStep: (step: number) => void
}

const back = [
  { label: 'First step', title: 'First (Home)', Icon: FirstIcon, move: -Infinity },
  { label: 'Previous step', title: 'Back (←)', Icon: StepBackIcon, move: -1 },
]

const forward = [
  { label: 'Next step', title: 'Forward (→)', Icon: StepIcon, move: 1 },
  { label: 'Last step', title: 'Last (End)', Icon: LastIcon, move: Infinity },
]

/** Shows the buttons for the first, previous, next and last step, and for playing. */
export function StepButtons({ step, lastStep, player, onStep }: StepButtonsProps) {
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
