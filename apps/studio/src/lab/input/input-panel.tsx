import type { Example, LabSettings, LabView } from '../settings/index.ts'
import { ChunkingPicker } from './chunking-picker.tsx'
import { ExamplePicker } from './example-picker.tsx'
import { FormatPicker } from './format-picker.tsx'
import { OptionPicker } from './option-picker.tsx'
import { ShareButton } from './share-button.tsx'
import { TextField } from './text-field.tsx'

interface InputPanelProps {
  readonly view: LabView
  /** Note about a shortened text; empty without one. */
  readonly notice: string
  readonly onChange: (changes: Partial<LabSettings>) => void
  readonly onText: (text: string) => void
  readonly onExample: (example: Example) => void
}

/** Shows the form of the lab: text, formats, chunks and options. */
export function InputPanel({ view, notice, onChange, onText, onExample }: InputPanelProps) {
  const { text, format, chunking } = view.settings
  return (
    <section className="lab-input" aria-label="Input">
      <ExamplePicker text={text} onPick={onExample} />
      <TextField text={text} onText={onText} />
      {notice !== '' && (
        <p className="field-note" data-tone="warn" role="status">
          {notice}
        </p>
      )}
      <FormatPicker format={format} onFormat={(next) => onChange({ format: next })} />
      <ChunkingPicker chunking={chunking} onChunking={(next) => onChange({ chunking: next })} />
      <OptionPicker settings={view.settings} onChange={onChange} />
      <ShareButton view={view} />
    </section>
  )
}
