import { showHiddenCharacters } from 'millrace'
import { Payload, type PayloadView, VisibleText } from '../../ui/text/index.ts'
import { DiffView } from '../diff/index.ts'
import { CallInput } from './call-input.tsx'
import { HiddenNote, LookalikeNote } from './hidden-note.tsx'
import type { ShownInput } from './input-shapes.ts'
import { RawJson } from './raw-json.tsx'
import type { ShownArguments } from './shown-arguments.ts'

interface ArgumentsViewProps {
  readonly input: ShownArguments
  /** A user has changed the arguments. */
  readonly isEdited: boolean
  readonly isRaw: boolean
  readonly view: PayloadView
}

/** Shows the arguments of a call as a diff, as text or as JSON. */
export function ArgumentsView({ input, isEdited, isRaw, view }: ArgumentsViewProps) {
  return (
    <>
      <HiddenNote hidden={input.hidden} />
      <LookalikeNote lookalikes={input.lookalikes} />
      {isRaw ? (
        <RawJson label="Input" text={input.text} view={view} />
      ) : (
        <ReadableArguments key={isEdited ? 'edited' : 'written'} input={input} view={view} />
      )}
    </>
  )
}

type ReadableArgumentsProps = Pick<ArgumentsViewProps, 'input' | 'view'>

function ReadableArguments({ input, view }: ReadableArgumentsProps) {
  const { text, isWhole, change, shown } = input
  if (shown) {
    return (
      <>
        {/* The summary line of a card has no room for a long path. */}
        {view !== 'scrolled' && shown.path !== '' && (
          <p className="payload-path">
            {shown.label}: <VisibleText text={shown.path} isSingleLine />
          </p>
        )}
        <CodeInput shown={shown} growing={!isWhole} view={view} />
        <Rest rest={shown.rest} view={view} />
      </>
    )
  }
  if (!change) return <CallInput text={text} growing={!isWhole} view={view} />
  return (
    <>
      <Rest rest={change.rest} view={view} />
      <DiffView files={change.files} view={view} />
    </>
  )
}

interface RestProps {
  readonly rest: Readonly<Record<string, unknown>>
  readonly view: PayloadView
}

/** Shows the other arguments of a call. */
function Rest({ rest, view }: RestProps) {
  if (Object.keys(rest).length === 0) return null
  return <CallInput text={JSON.stringify(rest)} growing={false} view={view} />
}

interface CodeInputProps {
  readonly shown: ShownInput
  readonly growing: boolean
  readonly view: PayloadView
}

/**
 * Shows a file that a call writes, or code that it runs. Follows the end while the text grows, then returns to its
 * beginning.
 */
function CodeInput({ shown, growing, view }: CodeInputProps) {
  const { label, path, text, language } = shown
  if (text === '' && !growing) return <p className="muted no-input">Nothing in it</p>
  return (
    <Payload
      returns
      label={path ? `${label} ${showHiddenCharacters(path)}` : label}
      {...{ text, language, growing, view }}
    />
  )
}
