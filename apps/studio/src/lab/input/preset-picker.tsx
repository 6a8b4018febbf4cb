import { presetNames, toNames } from '../settings/index.ts'

interface PresetPickerProps {
  /** Selected names, separated by commas. */
  readonly detail: string
  readonly onDetail: (detail: string) => void
}

/** Selects any number of formats by name. */
export function PresetPicker({ detail, onDetail }: PresetPickerProps) {
  const chosen = toNames(detail)
  return (
    <>
      <div className="preset-chips" role="group" aria-label="Chosen formats">
        {chosen.map((name) => (
          <button
            key={name}
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onDetail(chosen.filter((each) => each !== name).join(','))}
          >
            {name} <span aria-hidden="true">×</span>
          </button>
        ))}
        <select
          aria-label="Add a format"
          value=""
          onChange={(event) => onDetail([...chosen, event.target.value].join(','))}
        >
          <option value="">+ Add</option>
          {presetNames
            .filter((name) => !chosen.includes(name))
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </div>
      {chosen.length === 0 && (
        <p className="field-note" data-tone="warn">
          No format is chosen, so everything is text.
        </p>
      )}
    </>
  )
}
