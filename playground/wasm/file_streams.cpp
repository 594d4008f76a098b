// SPDX-License-Identifier: Apache-2.0
#include <fstream>

// The C++ library of this target has no copies of them.
template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
template class std::basic_ofstream<char>;
