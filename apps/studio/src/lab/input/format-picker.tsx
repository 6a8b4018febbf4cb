import { formatKinds, isFormatKind, jsonProviders } from '../settings/index.ts'
import type { FormatKind, LabFormat } from '../settings/index.ts'
import { ModelField } from './model-field.tsx'
import { PresetPicker } from './preset-picker.tsx'

interface FormatPickerProps {
  readonly format: LabFormat
  readonly onFormat: (format: LabFormat) => void
}

const kinds = Object.keys(formatKinds).filter(isFormatKind)

/** Initial details of formats. */
const firstDetails: Readonly<Partial<Record<FormatKind, string>>> = {
  named: 'think,hermes',
  model: 'qwen3-coder:30b',
  json: 'openai',
  tags: 'read_file: path; write_to_file: path, content',
}

/** Selects the formats to parse. */
export function FormatPicker({ format, onFormat }: FormatPickerProps) {
  const Detail = details[format.kind]
  const onDetail = (detail: string) => onFormat({ ...format, detail })
  return (
    <div className="field">
      <label htmlFor="lab-format">Format</label>
      <select
        id="lab-format"
        value={format.kind}
        onChange={(event) => {
          const kind = event.target.value
          if (isFormatKind(kind)) onFormat({ kind, detail: firstDetails[kind] ?? '' })
        }}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {formatKinds[kind].label}
          </option>
        ))}
      </select>
      {Detail && <Detail detail={format.detail} onDetail={onDetail} />}
    </div>
  )
}

interface DetailProps {
  readonly detail: string
  readonly onDetail: (detail: string) => void
}

const details: Readonly<Partial<Record<FormatKind, (props: DetailProps) => React.ReactNode>>> = {
  named: PresetPicker,
  model: ModelField,
  json: ProviderSelect,
  tags: ToolsField,
}

function ProviderSelect({ detail, onDetail }: DetailProps) {
  return (
    <select aria-label="Provider" value={detail} onChange={(event) => onDetail(event.target.value)}>
      {jsonProviders.map((provider) => (
        <option key={provider}>{provider}</option>
      ))}
    </select>
  )
}

function ToolsField({ detail, onDetail }: DetailProps) {
  return (
    <input
      type="text"
      aria-label="Tools and their parameters"
      value={detail}
      spellCheck={false}
      onChange={(event) => onDetail(event.target.value)}
    />
  )
}
