import { auto, presetFor } from 'millrace/segments'

interface ModelFieldProps {
  /** Id of the model. */
  readonly detail: string
  readonly onDetail: (detail: string) => void
}

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

/** Selects the formats of a model by its id. */
export function ModelField({ detail, onDetail }: ModelFieldProps) {
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
