import { speeds } from './use-player.ts'
import type { Player } from './use-player.ts'

/** Chooses how fast a run is played. */
export function SpeedSelect({ player: { speed, setSpeed } }: { readonly player: Player }) {
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
