//! Each rule about the fields of a file: what breaks it is refused, and where.

use crate::by_hand::varint;
use certificate_spec::claim::Question;
