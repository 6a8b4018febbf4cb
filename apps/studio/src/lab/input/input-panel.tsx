import { ChunkingPicker } from './chunking-picker.tsx'
import { ExamplePicker } from './example-picker.tsx'
import { FormatPicker } from './format-picker.tsx'
import { OptionPicker } from './option-picker.tsx'
import { ShareButton } from './share-button.tsx'
import { TextField } from './text-field.tsx'
import type { Lab } from '../use-lab.ts'

/** What is parsed, as what, and in which pieces. */
export function InputPanel({ lab }: { readonly lab: Lab }) {
  const { view, notice, change, changeText, pick } = lab
  const { text, format, chunking } = view.settings
  return (
    <section className="lab-input" aria-label="Input">
      <ExamplePicker text={text} onPick={pick} />
      <TextField text={text} onText={changeText} />
      {notice !== '' && (
        <p className="field-note" data-tone="warn" role="status">
          {notice}
        </p>
      )}
      <FormatPicker format={format} onFormat={(next) => change({ format: next })} />
      <ChunkingPicker chunking={chunking} onChunking={(next) => change({ chunking: next })} />
      <OptionPicker settings={view.settings} onChange={change} />
      <ShareButton view={view} />
    </section>
  )
}
