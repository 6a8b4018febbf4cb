export {
  collectKnownSecrets,
  createSecretScanner,
  keepEnvironmentSecrets,
  keepSecrets,
  redactedValue,
  redactHeaders,
  redactPath,
  redactText,
  registeredWords,
} from '../outbound/index.ts'
export type { RedactTextOptions, SecretScanner, SecretScannerOptions } from '../outbound/index.ts'
