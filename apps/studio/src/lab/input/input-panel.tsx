import { type ClipboardEvent, useEffect, useState } from 'react'
import {
  type Chunking,
  chunkings,
  defaultSwitches,
  encodeLabAddress,
  type Example,
  exampleOf,
  examples,
  findExample,
  isChunkingKind,
  type LabSettings,
  type LabView,
  switches,
  switchNames,
  traitsOf,
  withSwitch,
} from '../settings/index.ts'
import { FormatPicker } from './format-picker.tsx'

const kinds = Object.keys(chunkings).filter(isChunkingKind)

/** Initial numbers of chunkings. */
const firstNumbers = { size: 8, tokens: 1 } as Readonly<Record<string, number>>

/** Pasting takes quadratic time in browsers; longer texts are inserted by the page. */
const LONG_PASTE = 10_000

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

/** Copies a link to the view, and reports a text that is too long for it. */
function ShareButton({ view }: { readonly view: LabView }) {
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (message === '') return undefined
    const timer = setTimeout(() => setMessage(''), 4_000)
    return () => clearTimeout(timer)
  }, [message])
  const share = () => {
    const { hash, isWithoutText } = encodeLabAddress(view)
    history.replaceState(null, '', hash)
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error())
    copied.then(
      () => setMessage(isWithoutText ? 'Copied without the text: it is too long.' : 'Copied.'),
      () => setMessage('The link is in the address bar.'),
    )
  }
  return (
    <div className="share">
      <button type="button" className="button" onClick={share}>
        Copy link
      </button>
      <span role="status" className="muted">
        {message}
      </span>
    </div>
  )
}

interface TextFieldProps {
  readonly text: string
  readonly onText: (text: string) => void
}

/** Edits the text to parse. */
function TextField({ text, onText }: TextFieldProps) {
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n')
    if (pasted.length < LONG_PASTE) return
    event.preventDefault()
    const { value, selectionStart, selectionEnd } = event.currentTarget
    onText(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd))
  }
  return (
    <label className="field grows">
      <span>Text</span>
      <textarea
        value={text}
        spellCheck={false}
        autoCapitalize="off"
        placeholder="Paste the output of a model"
        onPaste={onPaste}
        onChange={(event) => onText(event.target.value)}
      />
    </label>
  )
}

interface ExamplePickerProps {
  readonly text: string
  readonly onPick: (example: Example) => void
}

/** Selects an example and explains it. */
function ExamplePicker({ text, onPick }: ExamplePickerProps) {
  const current = exampleOf(text)
  return (
    <div className="field">
      <label htmlFor="lab-example">Example</label>
      <select
        id="lab-example"
        value={current?.id ?? ''}
        aria-describedby="lab-look"
        onChange={(event) => {
          const example = findExample(event.target.value)
          if (example) onPick(example)
        }}
      >
        {!current && <option value="">Your own text</option>}
        {examples.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <p id="lab-look" className="field-note look">
        {current?.look ?? 'Your text: step through it, or check it at every chunking.'}
      </p>
    </div>
  )
}

interface OptionPickerProps {
  readonly settings: LabSettings
  readonly onChange: (changes: Partial<LabSettings>) => void
}

/** Selects options of the parser. */
function OptionPicker({ settings, onChange }: OptionPickerProps) {
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

interface ChunkingPickerProps {
  readonly chunking: Chunking
  readonly onChunking: (chunking: Chunking) => void
}

/** Selects how the text is split into chunks. */
function ChunkingPicker({ chunking, onChunking }: ChunkingPickerProps) {
  const { number: bounds } = traitsOf(chunking.kind)
  const isAllowed =
    bounds === undefined || (chunking.number >= bounds.least && chunking.number <= bounds.most)
  return (
    <div className="field">
      <label htmlFor="lab-chunking">Chunks</label>
      <div className="field-row">
        <select
          id="lab-chunking"
          value={chunking.kind}
          onChange={(event) => {
            const kind = event.target.value
            if (isChunkingKind(kind)) onChunking({ kind, number: firstNumbers[kind] ?? 0 })
          }}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {traitsOf(kind).label}
            </option>
          ))}
        </select>
        {bounds && (
          <label className="number-field">
            <span>{bounds.label}</span>
            <input
              type="number"
              min={bounds.least}
              max={bounds.most}
              value={chunking.number}
              aria-invalid={!isAllowed}
              onChange={(event) => {
                const number = event.target.valueAsNumber
                onChunking({ ...chunking, number: Number.isNaN(number) ? 0 : Math.floor(number) })
              }}
            />
          </label>
        )}
      </div>
      {bounds && !isAllowed && (
        <p className="field-note" data-tone="warn" role="status">
          {bounds.label}: from {bounds.least} to {bounds.most.toLocaleString('en')}; the nearest is
          used.
        </p>
      )}
    </div>
  )
}
