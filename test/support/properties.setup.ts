// Properties try the same random cases in every run: a run finds what the last one found. Any other number in
// PROPERTY_SEED looks further.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
