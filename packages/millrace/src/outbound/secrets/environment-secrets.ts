import { keepSecrets } from './kept-secrets.ts'

/** Variables whose value grants access, whatever it looks like but a path. */
const secretNames = /(?:^|_)(?:SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD)(?:$|_)/i

/** Variables whose value grants access, unless it is a plain one. */
const likelyNames = /(?:^|_)(?:KEY|APIKEY|TOKEN|CREDENTIALS?|AUTH|DSN)(?:$|_)/i

/** Of these the name says that the value is a place, a number or a name. */
const plainNames = /^(?:OLD)?PWD$|(?:_FILE|_PATH|_DIR|_ID|_TTL|_MS|_SECONDS|_NAME|_SOCK|_TOKENS)$/i

/** A word of letters alone, such as `production`; a path; a number. */
const plainValue = /^(?:[A-Za-z]{1,15}|[~.]{0,2}\/.*|\d+)$/

/** A path such as `/run/secrets/mill`: a key of random letters has capitals. */
const pathValue = /^[~.]{0,2}(?:\/[a-z0-9._-]+){2,}$/

/** Remembers the secrets among environment variables, so that they are masked wherever this process writes. */
export function keepEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): void {
  keepSecrets(
    Object.entries(env).flatMap(([name, value = '']) => [
      ...(isSecret(name, value) ? [value] : []),
      ...passwordIn(value),
    ]),
  )
}

function isSecret(name: string, value: string): boolean {
  if (plainNames.test(name)) return false
  if (secretNames.test(name)) return !pathValue.test(value)
  return likelyNames.test(name) && !plainValue.test(value)
}

function passwordIn(value: string): readonly string[] {
  if (!value.includes('://') || !value.includes('@') || !URL.canParse(value)) return []
  const { password } = new URL(value)
  return [password, decoded(password)]
}

/** A password may hold a `%` that begins no escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
