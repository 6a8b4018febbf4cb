import { defaultSwitches, switchNames, switches, withSwitch } from '../settings/index.ts'
import type { LabSettings } from '../settings/index.ts'

interface OptionPickerProps {
  readonly settings: LabSettings
  readonly onChange: (changes: Partial<LabSettings>) => void
}

/** Selects options of the parser. */
export function OptionPicker({ settings, onChange }: OptionPickerProps) {
  const { switches: chosen, knownTools } = settings
  const changed =
    switchNames.filter((name) => chosen[name] !== defaultSwitches[name]).length +
    (knownTools === '' ? 0 : 1)
  return (
    <details className="lab-options">
      <summary>
        Options
        <span className="muted">{changed === 0 ? 'defaults' : `${changed} changed`}</span>
      </summary>
      {switchNames.map((name) => (
        <label key={name} className="option" title={switches[name].hint}>
          <span>{switches[name].label}</span>
          <select
            value={chosen[name]}
            onChange={(event) =>
              onChange({ switches: withSwitch(chosen, name, event.target.value) })
            }
          >
            {switches[name].values.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        </label>
      ))}
      <label className="option" title="A call without a marker must name one of them">
        <span>Known tools</span>
        <input
          type="text"
          value={knownTools}
          placeholder="any"
          spellCheck={false}
          onChange={(event) => onChange({ knownTools: event.target.value })}
        />
      </label>
    </details>
  )
}
