import { auto, presetFor } from 'millrace/segments'
import {
  type FormatKind,
  formatKinds,
  isFormatKind,
  jsonProviders,
  type LabFormat,
  presetNames,
  toNames,
} from '../settings/index.ts'

/** Common ids; any other can be entered. */
const suggestions = [
  'claude-sonnet-5',
  'deepseek-ai/DeepSeek-V3.1',
  'gpt-oss:20b',
  'google/gemma-4-27b-it',
  'meta-llama/Llama-3.3-70B-Instruct',
  'mistralai/devstral-small',
  'moonshotai/kimi-k2-thinking',
  'Qwen/Qwen3-235B-A22B-Thinking-2507',
  'qwen3-coder:30b',
  'zai-org/GLM-4.5-Air',
]

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

interface PresetPickerProps {
  /** Selected names, separated by commas. */
  readonly detail: string
  readonly onDetail: (detail: string) => void
}

/** Selects any number of formats by name. */
function PresetPicker({ detail, onDetail }: PresetPickerProps) {
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

interface ModelFieldProps {
  /** Id of the model. */
  readonly detail: string
  readonly onDetail: (detail: string) => void
}

/** Selects the formats of a model by its id. */
function ModelField({ detail, onDetail }: ModelFieldProps) {
  const formats = presetFor(detail)
  const names = formats.map(({ name }) => name).join(', ')
  return (
    <>
      <input
        type="text"
        aria-label="Model id"
        aria-describedby="lab-model-note"
        list="lab-models"
        placeholder="The id of a model"
        value={detail}
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => onDetail(event.target.value)}
      />
      <datalist id="lab-models">
        {suggestions.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </datalist>
      <p id="lab-model-note" className="field-note" data-tone={formats === auto ? 'warn' : 'calm'}>
        {formats === auto
          ? 'This model is unknown, so all unambiguous formats are parsed.'
          : `Formats: ${names}.`}
      </p>
    </>
  )
}
